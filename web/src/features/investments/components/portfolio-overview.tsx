import { useQueries } from '@tanstack/react-query'
import { ChartNoAxesCombined } from 'lucide-react'
import { useMemo } from 'react'
import { Card, CardHeader } from '@/components/card'
import { cx } from '@/components/cx'
import { DetailList } from '@/components/detail-list'
import { LineChart, type Point } from '@/components/line-chart'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import type { CoursePoint, Trade } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'
import { formatCents, formatPercent, percentOf, sumCents, toCents } from '@/lib/money'
import { planCourseQuery } from '../api/list-plans'
import { useTrades } from '../api/list-trades'
import { portfolioOf } from '../portfolio'
import { tradeCentsAt } from '../value-index'

/** Where the portfolio stands and came from; nothing while there are no trades. */
export function PortfolioOverview() {
  const { data: trades = [] } = useTrades()
  const planIds = [...new Set(trades.flatMap(({ plan }) => plan.id ?? []))]
  const values = useQueries({
    queries: planIds.map(planCourseQuery),
    combine: (answers) => ({
      byPlan: new Map(planIds.map((id, index) => [id, answers[index]?.data])),
      failed: answers.filter(({ data, isError }) => isError && !data),
      isFetching: answers.some(({ isFetching }) => isFetching),
      isComplete: answers.every(({ data }) => data),
    }),
  })
  if (trades.length === 0) return null
  return (
    <div className="mt-5 grid grid-cols-1 gap-4 sm:gap-5 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
      <Card className="pb-6">
        <CardHeader title="Portfolio value" description="Your live trades at the plans’ published values" />
        <div className="min-h-77 px-5 pt-4 sm:px-6">
          {values.isComplete ? (
            <ValueOverTime trades={trades} values={values.byPlan} />
          ) : values.failed[0] ? (
            <ErrorPanel
              error={values.failed[0].error}
              onRetry={() => values.failed.forEach((one) => void one.refetch())}
              busy={values.isFetching}
            />
          ) : (
            <Skeletons count={1} className="h-72" label="Loading the published values" />
          )}
        </div>
      </Card>
      <Card className="flex flex-col pb-6">
        <CardHeader title="Allocation" description="Current value by plan" />
        <Allocation trades={trades} />
      </Card>
    </div>
  )
}

const ONE_CENT = 1
const formatDollars = (cents: number) => formatCents(cents)

function ValueOverTime({ trades, values }: { trades: Trade[]; values: Map<string, CoursePoint[] | undefined> }) {
  const points = useMemo(() => courseOf(trades, values), [trades, values])
  const first = points[0]
  const last = points.at(-1)
  const hasMoved = points.some(({ value, base }) => value !== base)
  if (!first || !last || !hasMoved) {
    return (
      <EmptyState
        icon={ChartNoAxesCombined}
        title={`${formatCents(last?.value ?? 0)}, as invested`}
        description="No plan value has changed since you invested. The chart appears after the first change."
      />
    )
  }
  return (
    <LineChart
      points={points}
      format={formatDollars}
      step={ONE_CENT}
      baseLabel="Invested"
      label={`Portfolio value from ${formatCents(first.value)} to ${formatCents(last.value)}; ${formatCents(last.base)} invested`}
    />
  )
}

type Standing = Point & { base: number }

/** What the trades were worth, and what had been put into them, at each opening and each published value, and now. */
function courseOf(trades: readonly Trade[], values: Map<string, CoursePoint[] | undefined>): Standing[] {
  const openings = trades.map(({ createdAt }) => Date.parse(createdAt))
  const start = Math.min(...openings)
  const published = [...values.values()].flatMap((points) => points ?? []).map(({ at }) => Date.parse(at))
  const moments = [...new Set([...openings, ...published.filter((at) => at > start)])].sort((a, b) => a - b)
  const past = moments.map((at) => ({
    at,
    value: trades.reduce((sum, trade) => sum + tradeCentsAt(trade, values.get(trade.plan.id ?? '') ?? [], at), 0),
    base: sumCents(trades.filter(({ createdAt }) => Date.parse(createdAt) <= at).map(({ amount }) => amount)),
  }))
  const { investedCents, valueCents } = portfolioOf(trades)
  // The newest point is the server's own figure, which is the one that counts.
  return [...past, { at: Date.now(), value: valueCents, base: investedCents }]
}

const shades = ['bg-accent', 'bg-positive-fill', 'bg-caution-fill', 'bg-negative-fill', 'bg-ink-faint']

function Allocation({ trades }: { trades: readonly Trade[] }) {
  const byPlan = new Map<string, number>()
  for (const { plan, currentValue } of trades) byPlan.set(plan.title, (byPlan.get(plan.title) ?? 0) + toCents(currentValue))
  const total = sumCents(trades.map(({ currentValue }) => currentValue))
  const parts = [...byPlan].sort(([, a], [, b]) => b - a)
  const shade = (index: number) => shades[index % shades.length]
  return (
    <div className="flex flex-1 flex-col px-5 pt-5 sm:px-6">
      <div aria-hidden className="flex h-3 gap-0.5 overflow-hidden rounded-full">
        {parts.map(([title, cents], index) => (
          <div key={title} className={shade(index)} style={{ width: `${percentOf(cents, total)}%` }} />
        ))}
      </div>
      <ul className="mt-5 space-y-3.5 text-sm">
        {parts.map(([title, cents], index) => (
          <li key={title} className="flex items-center gap-2.5">
            <span aria-hidden className={`size-2.5 shrink-0 rounded-full ${shade(index)}`} />
            <span className="min-w-0 flex-1 truncate">{title}</span>
            <span className="tabular font-medium">{formatCents(cents)}</span>
            <span className="tabular w-13 text-end text-ink-faint">{formatPercent(percentOf(cents, total))}</span>
          </li>
        ))}
      </ul>
      <Totals trades={trades} />
    </div>
  )
}

/** What the shares add up to, at the foot of the card. */
function Totals({ trades }: { trades: readonly Trade[] }) {
  const { investedCents, valueCents } = portfolioOf(trades)
  const gain = valueCents - investedCents
  const [nextToMature] = trades.flatMap(({ maturesAt }) => maturesAt ?? []).sort()
  return (
    <div className="mt-auto pt-5">
      <DetailList
        items={[
          { label: 'Invested', value: <span className="tabular">{formatCents(investedCents)}</span> },
          { label: 'Current value', value: <span className="tabular">{formatCents(valueCents)}</span> },
          {
            label: 'Gain or loss',
            value: <span className={cx('tabular signed', gain > 0 ? 'text-positive' : gain < 0 && 'text-negative')}>{`${gain > 0 ? '+' : ''}${formatCents(gain)}`}</span>,
          },
          ...(nextToMature ? [{ label: 'Next to mature', value: formatDay(nextToMature) }] : []),
        ]}
      />
    </div>
  )
}
