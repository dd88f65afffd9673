import { brand } from '@/lib/brand'
import { cx } from './cx'

export function Logo({ className, onHero = false }: { className?: string; onHero?: boolean }) {
  return (
    <span className={cx('inline-flex items-center gap-2.5', className)}>
      <svg aria-hidden viewBox="0 0 32 32" className={cx('size-8', onHero ? 'text-hero-raised' : 'text-accent')}>
        <rect width="32" height="32" rx="9" fill="currentColor" />
        <path
          d="M21.6 10.2c-1.3-1.3-3.3-2-5.5-2-3.3 0-5.8 1.6-5.8 4.2 0 5.6 9.2 2.6 9.2 6 0 1.2-1.3 1.9-3.3 1.9-2.2 0-4-.8-5.2-2.2"
          className={onHero ? 'stroke-hero-ink' : 'stroke-accent-ink'}
          fill="none"
          strokeWidth="2.9"
          strokeLinecap="round"
        />
        <circle cx="22.6" cy="23.4" r="1.9" className={onHero ? 'fill-hero-soft' : 'fill-accent-ink'} opacity=".7" />
      </svg>
      <span className={cx('text-lg font-semibold tracking-tight', onHero ? 'text-hero-ink' : 'text-ink')}>{brand.name}</span>
    </span>
  )
}
