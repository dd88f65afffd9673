import { ArrowDownToLine, ArrowRight, ArrowUpFromLine, ChartNoAxesCombined, ReceiptText, UserRound, type LucideIcon } from 'lucide-react'
import { Suspense, lazy } from 'react'
import { Link } from 'react-router'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'
import { useSessionCheck } from '@/features/auth/api/check-session'
import { ContinueCard } from '@/features/courses/components/continue-card'
import { useOpenTradesOfAll } from '@/features/investments/api/list-trades'
import { PortfolioCard } from '@/features/investments/components/portfolio-card'
import { portfolioOf } from '@/features/investments/portfolio'
import { Moving } from '@/features/transactions/components/moving'
import { RecentActivity } from '@/features/transactions/components/recent-activity'
import { BalanceCards } from '@/features/wallet/components/balance-cards'
import { BalanceNotices } from '@/features/wallet/components/balance-notices'
import type { User } from '@/lib/api-types'
import { loadChunk } from '@/lib/load-chunk'
import { paths } from '@/lib/paths'
import { useMember } from '@/lib/session'
import { loadable } from '../loadable'

export function DashboardPage() {
  const user = useMember()
  const session = useSessionCheck()
  const trades = useOpenTradesOfAll()
  const investedCents = trades.data ? portfolioOf(trades.data).investedCents : trades.isError ? null : undefined
  const retry = () => void Promise.all([session.refetch(), trades.isError && trades.refetch()])
  return (
    <Page title="Dashboard" description={`Welcome, ${user.name}.`}>
      <div className="space-y-4 sm:space-y-5">
        <Start user={user} />
        <BalanceCards user={user} investedCents={investedCents} onRetry={retry} />
        <Worth user={user} />
        <BalanceNotices wallet={user.wallet} />
        <Moving />
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 sm:gap-4">
          <ActionCard to={paths.deposits} icon={ArrowDownToLine} title="Make Deposit" text="Add funds with proof of payment" />
          <ActionCard to={paths.withdrawals} icon={ArrowUpFromLine} title="Make Withdrawal" text="Send funds to your own address" />
        </div>
        {user.hasPurchasedCourse && <ContinueCard />}
        <div className="grid grid-cols-1 gap-4 sm:gap-5 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
          <RecentActivity />
          <PortfolioCard />
        </div>
        <nav aria-label="Shortcuts" className="grid grid-cols-1 gap-3 sm:grid-cols-3 sm:gap-4">
          <Tile to={paths.investments} icon={ChartNoAxesCombined} title="Investments" />
          <Tile to={paths.transactions} icon={ReceiptText} title="Transactions" />
          <Tile to={paths.profile} icon={UserRound} title="Profile" />
        </nav>
      </div>
    </Page>
  )
}

const WorthCard = loadable(() => import('@/features/investments/components/worth-card'), 'WorthCard')

/** What most members see of it, with its data where that is there. */
export const loadFigures = () =>
  Promise.all([WorthCard.load(), import('./dashboard/first-figures').then(({ takeFigures }) => takeFigures())]).catch(() => undefined)

/** For members who have something. */
function Worth({ user: { wallet } }: { user: User }) {
  if (!wallet || wallet.balance + wallet.held + wallet.invested === 0) return null
  return (
    <Suspense fallback={<Skeleton className="h-44" />}>
      <WorthCard wallet={wallet} />
    </Suspense>
  )
}

const StartCard = lazy(async () => ({ default: (await loadChunk(() => import('./dashboard/start-card'))).StartCard }))

/** For members whose money is not at work; where there is none, it has its place from the start. */
function Start({ user }: { user: User }) {
  const { wallet, hasPurchasedCourse } = user
  if (hasPurchasedCourse || wallet?.invested !== 0) return null
  return (
    <Suspense fallback={wallet.balance + wallet.held === 0 && <Skeleton className="h-96 sm:h-88" />}>
      <StartCard key={user.id} user={user} />
    </Suspense>
  )
}

type EntryProps = { to: string; icon: LucideIcon; title: string }

const entry =
  'group flex items-center gap-4 rounded-xl border border-line bg-surface shadow-card transition-colors hover:border-line-control'

function ActionCard({ to, icon: Icon, title, text }: EntryProps & { text: string }) {
  return (
    <Link to={to} className={`${entry} p-5`}>
      <span className="grid size-11 shrink-0 place-items-center rounded-full bg-accent-soft text-accent-text">
        <Icon aria-hidden className="size-5" />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block font-semibold">{title}</span>
        <span className="block text-sm text-ink-faint">{text}</span>
      </span>
      <Arrow />
    </Link>
  )
}

function Tile({ to, icon: Icon, title }: EntryProps) {
  return (
    <Link to={to} className={`${entry} min-h-14 px-5 py-3`}>
      <Icon aria-hidden className="size-4.5 text-ink-faint" />
      <span className="flex-1 text-sm font-medium">{title}</span>
      <Arrow />
    </Link>
  )
}

const Arrow = () => (
  <ArrowRight aria-hidden className="size-4.5 text-ink-faint transition-transform group-hover:translate-x-0.5" />
)
