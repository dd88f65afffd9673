import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card, CardHeader } from '@/components/card'
import { cx } from '@/components/cx'
import { DetailList, type Detail } from '@/components/detail-list'
import type { Plan, PlanFacts, PlanPage } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'
import { formatCents, formatMoney, formatPercent, toCents } from '@/lib/money'
import { sinceTheFirst } from '../outlook'
import { riskInWords } from '@/lib/risk'

const NOT_STATED = 'Not stated'

/** What the plan is: risk, holdings, manager, costs and terms [D-T3] [D-I2]. */
export function PlanLabel({ plan }: { plan: Plan }) {
  const { riskClass, holdings, manager, costs, costPercent, documentUrl } = plan
  return (
    <Card className="pb-3">
      <CardHeader title="What it is" />
      <div className="px-5 pt-2 sm:px-6">
        <RiskScale riskClass={riskClass ?? 0} />
        <DetailList
          items={[
            { label: 'Holdings', value: holdings ?? NOT_STATED },
            { label: 'Manager', value: manager ?? NOT_STATED },
            { label: 'Costs', value: costsInWords(costs, costPercent) },
            { label: 'Target', value: `${plan.roi}% over ${plan.duration} days, not guaranteed` },
            { label: 'Investment', value: `${formatMoney(plan.min)} to ${formatMoney(plan.max)}` },
            { label: 'Leaving early', value: exitInWords(plan) },
            { label: 'Document', value: documentUrl ? <DocumentLink url={documentUrl} /> : NOT_STATED },
          ]}
        />
      </div>
    </Card>
  )
}

const costsInWords = (costs: string | null | undefined, percent: number) =>
  percent > 0 ? `${percent}% a year${costs ? `: ${costs}` : ''}` : (costs ?? NOT_STATED)

export const exitInWords = ({ minHoldingDays, exitFeePercent }: Plan) =>
  exitFeePercent > 0
    ? `${exitFeePercent}% of the value within the first ${minHoldingDays} days; it stays in the plan`
    : 'Possible at any time, without a fee'

const DocumentLink = ({ url }: { url: string }) => (
  <a href={url} target="_blank" rel="noreferrer noopener" className="inline-flex items-center gap-1.5 text-accent-text hover:underline">
    {url.replace('https://', '').split(/[/?#]/)[0]}
    <ExternalLink aria-hidden className="size-4" />
    <span className="sr-only">(opens in a new tab)</span>
  </a>
)

/** The risk class as a row of seven steps; in words for everybody. */
function RiskScale({ riskClass }: { riskClass: number }) {
  if (riskClass === 0) return <p className="py-3 text-sm text-ink-soft">The risk of this plan is not stated.</p>
  return (
    <div className="py-3">
      <p className="text-sm font-medium text-ink">{`Risk ${riskInWords(riskClass)}`}</p>
      <div aria-hidden className="mt-2 grid grid-cols-7 gap-1">
        {Array.from({ length: 7 }, (_, index) => (
          <span
            key={index}
            className={cx(
              'rounded-sm py-1 text-center text-xs font-medium',
              index + 1 === riskClass ? 'bg-accent text-accent-ink' : 'bg-sunken text-ink-faint',
            )}
          >
            {index + 1}
          </span>
        ))}
      </div>
    </div>
  )
}

/** What $500, or the least that can be invested, would be today. */
const EXAMPLE_CENTS = 50_000

/** What the past says: how far the value fell and rose, and how investments ended [D-T3]. */
export function PlanPast({ plan, facts }: { plan: Plan; facts: PlanFacts }) {
  const cents = Math.max(EXAMPLE_CENTS, toCents(plan.min))
  const today = sinceTheFirst(cents, plan, facts)
  const { endedTrades, endedAtLoss, over30Days, over90Days, firstValueAt } = facts
  return (
    <Card className="pb-5">
      <CardHeader title="So far" description="Past values say nothing certain about the future." />
      <div className="px-5 pt-2 sm:px-6">
        <DetailList
          items={[
            ...extremes('30 days', over30Days),
            ...extremes('90 days', over90Days),
            { label: 'Ended at a loss', value: lossesInWords(endedTrades, endedAtLoss) },
          ]}
        />
        {today !== undefined && firstValueAt && (
          <p className="mt-3 text-sm text-ink-soft">
            {`${formatCents(cents)} invested on ${formatDay(firstValueAt)} is ${formatCents(today)} today.`}
          </p>
        )}
      </div>
    </Card>
  )
}

function extremes(period: string, found: PlanFacts['over30Days']): Detail[] {
  if (!found) return [{ label: `Worst and best ${period}`, value: `The plan is younger than ${period}` }]
  return [
    { label: `Worst ${period}`, value: <Change percent={found.worstPercent} /> },
    { label: `Best ${period}`, value: <Change percent={found.bestPercent} /> },
  ]
}

const Change = ({ percent }: { percent: number }) => (
  <span className={cx('tabular', percent > 0 ? 'text-positive' : percent < 0 ? 'text-negative' : undefined)}>
    {formatPercent(percent, { signed: true })}
  </span>
)

/** A share of a few says little: below ten the numbers stand alone. */
const lossesInWords = (ended: number, atLoss: number) => {
  if (ended === 0) return 'No investment has ended yet'
  const share = ended < 10 ? '' : ` (${formatPercent(Math.round((atLoss * 1000) / ended) / 10)})`
  return `${atLoss} of ${ended} ended ${ended === 1 ? 'investment' : 'investments'}${share}`
}

/** The plan's cash and what it owns, at its last proven value, beside what its investments are worth [D-T3]. */
export function PlanBacking({ backing }: { backing: PlanPage['backing'] }) {
  if (!backing) return null
  const parts: Detail[] = [
    { label: 'Members have invested', value: formatMoney(backing.cost) },
    { label: 'Their investments are worth', value: formatMoney(backing.value) },
    { label: 'Cash set aside for gains', value: formatMoney(backing.cash) },
    { label: 'What the plan owns', value: formatMoney(backing.assetsValue) },
  ]
  const isBacked = backing.missing === 0
  return (
    <Card className="pb-3">
      <CardHeader title="What stands behind this plan" description="At the last proven value of each." />
      <div className="px-5 pt-2 sm:px-6">
        <DetailList items={parts} />
        <ul className="divide-y divide-line border-t border-line text-sm">
          {backing.assets.map(({ name, value, provenAt, proof, issuer }) => (
            <li key={name} className="py-3">
              <BackingLine label={name}>{formatMoney(value)}</BackingLine>
              <p className="mt-0.5 wrap-anywhere text-ink-faint">
                {[proof, issuer, provenAt && formatDay(provenAt)].filter(Boolean).join(', ')}
              </p>
            </li>
          ))}
        </ul>
        <p className={cx('border-t border-line pt-3 text-sm', isBacked ? 'text-ink-soft' : 'font-medium text-negative')}>
          {isBacked
            ? 'A higher value is published only while this covers every investment. A gain is paid from the cash; if it does not suffice, the payout waits until it does.'
            : `${formatMoney(backing.missing)} is missing for what the investments are worth. Gains are paid as far as the cash suffices; other payouts wait.`}
        </p>
      </div>
    </Card>
  )
}

const BackingLine = ({ label, children }: { label: string; children: ReactNode }) => (
  <p className="flex flex-wrap justify-between gap-x-6">
    <span className="min-w-0 wrap-anywhere">{label}</span>
    <span className="tabular font-medium">{children}</span>
  </p>
)
