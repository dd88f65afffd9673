import { useMemo, useState } from 'react'
import { Card, CardHeader } from '@/components/card'
import { LineChart } from '@/components/line-chart'
import { Segmented } from '@/components/segmented'
import { Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import type { Plan, PlanValue } from '@/lib/api-types'
import { formatDay, formatDays } from '@/lib/dates'
import { formatPercent } from '@/lib/money'
import { usePlanValues } from '../api/list-plans'
import { changeOf } from '../value-index'

/** Published values have up to six decimals; two are shown in any case. */
const STEP = 0.000_001
const decimalsIn = (value: number) => String(value).split('.')[1]?.length ?? 0
const format = (value: number, decimals = decimalsIn(value)) => value.toFixed(Math.max(2, decimals))

const DAY_MS = 86_400_000

/** How far back a chart goes, in days. */
const ranges = [
  { value: '1M', label: '1M', days: 30 },
  { value: '3M', label: '3M', days: 91 },
  { value: '1Y', label: '1Y', days: 365 },
  { value: 'All', label: 'All', days: Infinity },
] as const
type Range = (typeof ranges)[number]['value']

/** Each chart shows at least this much above and below its first value, so that a calm plan looks calm beside a wild one. */
const SCALE_PERCENT = 10

/** The points of the last days, and the one in force when they begin. */
function within(values: readonly PlanValue[], days: number) {
  const from = Date.parse(values.at(-1)?.at ?? '') - days * DAY_MS
  return values.slice(Math.max(0, values.findLastIndex(({ at }) => Date.parse(at) <= from)))
}

/** A plan's published values with their sources; the table is open where it is what the page is about. */
export function PlanChart({ plan, isOpen = false }: { plan: Plan; isOpen?: boolean }) {
  const { data: values, isPending, isFetching, error, refetch } = usePlanValues(plan.id)
  return (
    <Card className="pb-6">
      <CardHeader title="Published value" description={`${plan.title}, every point with its source`} />
      <div className="px-5 pt-4 sm:px-6">
        {isPending ? (
          <Skeletons count={1} className="h-72" label="Loading the published values" />
        ) : !values ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
        ) : (
          <Values title={plan.title} values={values} isOpen={isOpen} />
        )}
      </div>
    </Card>
  )
}

const scaleAround = (value: number) => [value * (1 - SCALE_PERCENT / 100), value * (1 + SCALE_PERCENT / 100)] as const

function Values({ title, values, isOpen }: { title: string; values: PlanValue[]; isOpen: boolean }) {
  const [range, setRange] = useState<Range>('All')
  const shown = useMemo(() => within(values, ranges.find(({ value }) => value === range)?.days ?? Infinity), [values, range])
  const points = useMemo(() => shown.map(({ at, value }) => ({ at: Date.parse(at), value })), [shown])
  const first = shown[0]
  const scale = useMemo(() => scaleAround(first?.value ?? 0), [first])
  const last = values.at(-1)
  if (!first || !last) return <p className="text-sm text-ink-faint">No value has been published yet.</p>
  if (values.length === 1) {
    return (
      <>
        <p className="tabular text-2xl font-semibold">{format(first.value)}</p>
        <p className="mt-1 text-sm text-ink-soft">{`Published ${formatDay(first.at)}: ${first.source}.`}</p>
        <p className="mt-4 text-sm text-ink-faint">This is the first value of the plan. The chart appears after the second.</p>
      </>
    )
  }
  const change = formatPercent(changeOf(first, last), { signed: true })
  const days = formatDays(values.map(({ at }) => at))
  const rows = values.map((value, index) => ({ ...value, day: days[index] })).toReversed()
  return (
    <>
      <div className="mb-4">
        <Segmented legend={`Range of the chart of ${title}`} options={ranges} value={range} onChange={setRange} />
      </div>
      <LineChart points={points} format={format} step={STEP} scale={scale} label={`${title}: ${change} from ${formatDay(first.at)} to ${formatDay(last.at)}`} />
      <p className="mt-2 text-xs text-ink-faint">{`${change} in this range. The scale shows at least ${SCALE_PERCENT}% up and down, for every plan alike.`}</p>
      <details className="mt-4 text-sm" open={isOpen}>
        <summary className="inline-flex min-h-11 items-center font-semibold text-accent-text">Values and sources</summary>
        <div className="max-h-72 overflow-y-auto" tabIndex={0} role="region" aria-label="Values and sources">
          <table className="w-full">
            <thead className="sr-only">
              <tr>
                <th scope="col">Date</th>
                <th scope="col">Value</th>
                <th scope="col">Source</th>
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {rows.map(({ at, day, value, source }) => (
                <tr key={at}>
                  <td className="py-2 pe-3 whitespace-nowrap text-ink-faint">{day}</td>
                  <td className="tabular py-2 pe-3 font-medium">{value}</td>
                  <td className="py-2 text-ink-soft">{source}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  )
}
