import { useQuery } from '@tanstack/react-query'
import { Sparkline } from '@/components/sparkline'
import { formatDay } from '@/lib/dates'
import { formatPercent } from '@/lib/money'
import { planCourseQuery, planOutlineQuery } from '../api/list-plans'
import { changeOf } from '../value-index'

type PlanSparklineProps = {
  planId: string
  title: string
  /** A trade opened at this moment: what was before is drawn faintly. */
  since?: string
}

/** The course of a plan's published values, small; in words for those who do not see it. */
export function PlanSparkline({ planId, title, since }: PlanSparklineProps) {
  const { data } = useQuery(since ? planCourseQuery(planId) : planOutlineQuery(planId))
  const from = since && data ? Math.max(0, data.findLastIndex(({ at }) => Date.parse(at) <= Date.parse(since))) : 0
  const first = data?.[from]
  const last = data?.at(-1)
  if (!data) return <div className="my-4 h-19" />
  if (!first || !last || data.length < 2) return <NoCourseYet />
  const change = formatPercent(changeOf(first, last), { signed: true })
  return (
    <figure className="my-4 h-19">
      <Sparkline
        values={data.map(({ value }) => value)}
        from={from}
        label={`Value of ${title} from ${formatDay(first.at)} to ${formatDay(last.at)}: ${change}`}
      />
      <figcaption className="text-xs text-ink-faint">
        {first === last ? 'No new value since you invested' : `${change} since ${formatDay(since ?? first.at)}`}
      </figcaption>
    </figure>
  )
}

/** A plan with at most one value: a level line, and when it will move. */
const NoCourseYet = () => (
  <div className="my-4 flex h-19 flex-col justify-end gap-2.5">
    <div aria-hidden className="mb-4 border-t-2 border-dashed border-line" />
    <p className="text-xs text-ink-faint">Updates with the plan’s next published value</p>
  </div>
)
