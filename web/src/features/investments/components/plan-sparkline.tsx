import { Sparkline } from '@/components/sparkline'
import { formatDay } from '@/lib/dates'
import { formatPercent } from '@/lib/money'
import { usePlanValues } from '../api/list-plans'
import { changeOf, valuesSince } from '../value-index'

type PlanSparklineProps = {
  planId: string
  title: string
  /** Only the course since this moment, for a trade opened then. */
  since?: string
}

/** The course of a plan's published values, small; in words for those who do not see it. */
export function PlanSparkline({ planId, title, since }: PlanSparklineProps) {
  const { data } = usePlanValues(planId)
  const values = since ? data && valuesSince(data, Date.parse(since)) : data
  const first = values?.[0]
  const last = values?.at(-1)
  if (!values || !first || !last) return <div className="my-4 h-19" />
  if (values.length < 2) return <NoCourseYet />
  const change = formatPercent(changeOf(first, last), { signed: true })
  return (
    <figure className="my-4 h-19">
      <Sparkline
        values={values.map(({ value }) => value)}
        label={`Value of ${title} from ${formatDay(first.at)} to ${formatDay(last.at)}: ${change}`}
      />
      <figcaption className="text-xs text-ink-faint">{`${change} since ${formatDay(first.at)}`}</figcaption>
    </figure>
  )
}

/** A trade of today has no course yet: a level line, and when it will move. */
const NoCourseYet = () => (
  <div className="my-4 flex h-19 flex-col justify-end gap-2.5">
    <div aria-hidden className="mb-4 border-t-2 border-dashed border-line" />
    <p className="text-xs text-ink-faint">Moves with the plan’s next published value</p>
  </div>
)
