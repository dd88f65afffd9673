import { Gift, GraduationCap, RotateCw, TrendingUp, Wallet, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '@/components/cx'
import { Skeleton } from '@/components/skeleton'
import type { User } from '@/lib/api-types'
import { formatCents, formatMoney } from '@/lib/money'

type BalanceCardsProps = {
  user: User
  /** `undefined` while the trades load, `null` when they could not be loaded. */
  investedCents: number | undefined | null
  onRetry: () => void
}

/** The four figures at the top of the dashboard [DASH-01]. */
export function BalanceCards({ user, investedCents, onRetry }: BalanceCardsProps) {
  const { wallet, hasPurchasedCourse } = user
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-[1.6fr_1fr_1fr_1fr]">
      <Figure hero label="Available Balance" icon={Wallet} className="col-span-2 lg:col-span-1">
        {wallet ? formatMoney(wallet.balance) : <Unknown onRetry={onRetry} />}
        {wallet && wallet.held > 0 && <Held amount={wallet.held} />}
      </Figure>
      <Figure label="Total Bonus" icon={Gift}>
        {wallet ? formatMoney(wallet.bonus) : <Unknown onRetry={onRetry} />}
      </Figure>
      <Figure label="Total Investments" icon={TrendingUp}>
        {investedCents === undefined ? (
          <Skeleton className="my-1 h-6 w-24" />
        ) : investedCents === null ? (
          <Unknown onRetry={onRetry} />
        ) : (
          formatCents(investedCents)
        )}
      </Figure>
      <Figure label="Active Courses" icon={GraduationCap} className="col-span-2 max-lg:flex max-lg:items-center max-lg:justify-between max-lg:py-4 max-lg:[&>*]:mt-0 lg:col-span-1">
        {hasPurchasedCourse ? 1 : 0}
      </Figure>
    </div>
  )
}

type FigureProps = { label: string; icon: LucideIcon; hero?: boolean; className?: string; children: ReactNode }

function Figure({ label, icon: Icon, hero = false, className, children }: FigureProps) {
  return (
    <section
      aria-label={label}
      className={cx(
        'relative overflow-hidden rounded-xl p-5 forced-colors:border sm:p-6',
        hero ? 'bg-hero text-hero-ink' : 'border border-line bg-surface shadow-card',
        className,
      )}
    >
      {hero && <Arcs />}
      <div className="relative flex items-center justify-between gap-2">
        <h2 className={cx('text-sm font-medium', hero ? 'text-hero-soft' : 'text-ink-faint')}>{label}</h2>
        <Icon aria-hidden className={cx('hidden size-4.5 sm:block', hero ? 'text-hero-soft' : 'text-ink-faint')} />
      </div>
      <div className={cx('tabular relative mt-3 font-semibold', hero ? 'text-3xl' : 'text-lg sm:text-xl')}>{children}</div>
    </section>
  )
}

/** The amount of an open withdrawal, which is no longer in the balance. */
const Held = ({ amount }: { amount: number }) => (
  <p className="mt-2 text-sm font-medium tracking-normal text-hero-soft">{`${formatMoney(amount)} held for a withdrawal`}</p>
)

/** The wallet did not answer: a dash instead of an invented zero [D-S2]. */
function Unknown({ onRetry }: { onRetry: () => void }) {
  return (
    <span className="inline-flex items-center gap-2">
      <span aria-label="not available">–</span>
      <button
        type="button"
        onClick={onRetry}
        className="inline-flex min-h-9 items-center gap-1.5 rounded-md px-2 text-sm font-medium underline underline-offset-3 pointer-coarse:min-h-11"
      >
        <RotateCw aria-hidden className="size-3.5" />
        Retry
      </button>
    </span>
  )
}

function Arcs() {
  return (
    <svg aria-hidden viewBox="0 0 200 200" fill="none" className="absolute -top-14 -inset-e-14 size-56 text-hero-raised forced-colors:hidden">
      {[95, 72, 49].map((radius) => (
        <circle key={radius} cx="100" cy="100" r={radius} stroke="currentColor" strokeWidth="1.5" />
      ))}
    </svg>
  )
}
