import { cx } from './cx'

type ProgressProps = { percent: number; label: string; tone?: 'accent' | 'positive' | 'negative' | 'hero' }

const fills = { accent: 'bg-accent', positive: 'bg-positive-fill', negative: 'bg-negative-fill', hero: 'bg-hero-ink' }

/** A bar clamped to 0-100 %. */
export function Progress({ percent, label, tone = 'accent' }: ProgressProps) {
  const clamped = Math.min(100, Math.max(0, percent))
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={clamped}
      className={cx('h-2 overflow-hidden rounded-full forced-colors:border', tone === 'hero' ? 'bg-hero-raised' : 'bg-sunken')}
    >
      <div className={cx('h-full rounded-full transition-[width] duration-500 forced-colors:bg-[Highlight] forced-colors:forced-color-adjust-none', fills[tone])} style={{ width: `${clamped}%` }} />
    </div>
  )
}
