import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Card, CardHeader } from '@/components/card'
import { cx } from '@/components/cx'
import type { Plan } from '@/lib/api-types'
import { formatBrief, formatPercent } from '@/lib/money'
import { riskWord } from '@/lib/risk'
import { plansQuery } from '../api/list-plans'
import { targetAYear } from '../outlook'
import { planPath } from '../paths'

const columns = ['Risk', 'Target', 'Target a year', 'Costs a year', 'Leaving early', 'Investment']

/** The plans side by side: risk, what each aims for, and what it costs [D-T3]. */
export function PlanComparison() {
  const { data: plans = [] } = useQuery(plansQuery)
  if (plans.length < 2) return null
  return (
    <Card className="mt-4 overflow-hidden pb-5 sm:mt-5">
      <CardHeader title="Compare the plans" />
      <div className="relative mt-3 overflow-x-auto focus-visible:-outline-offset-2" role="region" aria-label="The plans compared" tabIndex={0}>
        <table className="w-full text-sm">
          <thead>
            <tr className="border-b border-line text-xs text-ink-faint">
              <th scope="col" className="sticky inset-s-0 bg-surface ps-5 pe-3 pb-2 text-start font-medium sm:ps-6">
                Plan
              </th>
              {columns.map((name) => (
                <th key={name} scope="col" className="px-3 pb-2 text-end font-medium whitespace-nowrap last:pe-5 sm:last:pe-6">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {plans.map((plan) => (
              <Row key={plan.id} plan={plan} />
            ))}
          </tbody>
        </table>
      </div>
      <p className="mt-4 px-5 text-xs text-ink-faint sm:px-6">
        A target is not a promise. “Target a year” is the target over the duration at the same pace for 365 days, without compounding.
      </p>
    </Card>
  )
}

function Row({ plan }: { plan: Plan }) {
  const { id, title, roi, duration, riskClass, costPercent, exitFeePercent, minHoldingDays, min, max } = plan
  return (
    <tr>
      <th scope="row" className="sticky inset-s-0 max-w-36 bg-surface ps-5 pe-3 text-start font-medium sm:max-w-none sm:ps-6">
        <Link to={planPath(id)} className="inline-flex min-h-11 items-center text-accent-text hover:underline">
          {title}
        </Link>
      </th>
      <Cell note={riskClass ? riskWord(riskClass) : undefined}>{riskClass ? `${riskClass} of 7` : 'Not stated'}</Cell>
      <Cell note={`in ${duration} days`}>{`${roi}%`}</Cell>
      <Cell>{formatPercent(targetAYear(plan))}</Cell>
      <Cell>{costPercent > 0 ? `${costPercent}%` : 'Not stated'}</Cell>
      <Cell note={exitFeePercent > 0 ? `first ${minHoldingDays} days` : undefined}>{exitFeePercent > 0 ? `${exitFeePercent}%` : 'Free'}</Cell>
      <Cell note={`to ${formatBrief(max)}`} last>
        {formatBrief(min)}
      </Cell>
    </tr>
  )
}

const Cell = ({ note, last, children }: { note?: string; last?: boolean; children: ReactNode }) => (
  <td className={cx('tabular px-3 py-2 text-end whitespace-nowrap', last && 'pe-5 sm:pe-6')}>
    {children}
    {note && <span className="block text-xs text-ink-faint">{note}</span>}
  </td>
)
