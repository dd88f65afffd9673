import { brand } from '@/lib/brand'
import { cx } from './cx'

export function Logo({ className, onHero = false }: { className?: string; onHero?: boolean }) {
  return (
    <span className={cx('inline-flex items-center gap-2.5', className)}>
      <svg aria-hidden viewBox="0 0 32 32" className={cx('size-8', onHero ? 'text-hero-raised' : 'text-accent')}>
        <rect width="32" height="32" rx="9" fill="currentColor" />
        <path
          d="M20.8 10.6c-1-1.6-2.8-2.5-5-2.5-3.1 0-5.3 1.5-5.3 3.9 0 5.5 10.8 2.6 10.8 7.9 0 2.5-2.4 4-5.5 4-2.6 0-4.6-1.1-5.6-3"
          className={onHero ? 'stroke-hero-ink' : 'stroke-accent-ink'}
          fill="none"
          strokeWidth="2.9"
          strokeLinecap="round"
        />
        <circle cx="25.2" cy="24" r="1.8" className={onHero ? 'fill-hero-soft' : 'fill-accent-ink'} opacity=".7" />
      </svg>
      <span className={cx('text-lg font-semibold tracking-tight', onHero ? 'text-hero-ink' : 'text-ink')}>{brand.name}</span>
    </span>
  )
}
