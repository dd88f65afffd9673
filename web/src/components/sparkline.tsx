import { cx } from './cx'

const WIDTH = 300
const HEIGHT = 56

/** A small line without axes; `label` says in words what it shows. */
export function Sparkline({ values, label, className }: { values: readonly number[]; label: string; className?: string }) {
  const falls = (values.at(-1) ?? 0) < (values[0] ?? 0)
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={cx('h-14 w-full', falls ? 'text-negative-fill' : 'text-positive-fill', className)}
    >
      <path d={pathOf(values)} fill="none" stroke="currentColor" strokeWidth="2" vectorEffect="non-scaling-stroke" />
    </svg>
  )
}

function pathOf(values: readonly number[]) {
  const low = Math.min(...values)
  const span = Math.max(...values) - low || 1
  return values
    .map((value, index) => {
      const x = (index / Math.max(1, values.length - 1)) * WIDTH
      const y = HEIGHT - 3 - ((value - low) / span) * (HEIGHT - 6)
      return `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}
