import { cx } from './cx'

const WIDTH = 300
const HEIGHT = 56
/** The change that fills the height. All lines have this scale, so that a small change beside a large one looks small. */
const WHOLE = 0.4

type SparklineProps = {
  values: readonly number[]
  /** Says in words what the line shows. */
  label: string
  /** Start of the highlighted part; the part before it is faint. */
  from?: number
  className?: string
}

/** A small line without axes. */
export function Sparkline({ values, label, from = 0, className }: SparklineProps) {
  const points = pointsOf(values)
  const falls = (values.at(-1) ?? 0) < (values[from] ?? 0)
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={cx('h-14 w-full', falls ? 'text-negative-fill' : 'text-positive-fill', className)}
    >
      <path d={pathOf(points.slice(0, from + 1))} className="stroke-line-control" fill="none" strokeWidth="1.5" strokeDasharray="3 3" vectorEffect="non-scaling-stroke" />
      <path d={pathOf(points.slice(from))} fill="none" stroke="currentColor" strokeWidth="2" vectorEffect="non-scaling-stroke" />
    </svg>
  )
}

/** A line that changes by more than that has a scale of its own: it would leave the picture. */
export function pointsOf(values: readonly number[]) {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const span = Math.max(most - least, WHOLE * (values[0] ?? 0)) || 1
  const low = (least + most - span) / 2
  return values.map((value, index) => {
    const x = (index / Math.max(1, values.length - 1)) * WIDTH
    const y = HEIGHT - 3 - ((value - low) / span) * (HEIGHT - 6)
    return `${x.toFixed(1)} ${y.toFixed(1)}`
  })
}

const pathOf = (points: readonly string[]) => (points.length < 2 ? '' : `M${points.join('L')}`)
