import { ArrowDownToLine, ArrowUpFromLine, ChartNoAxesCombined, LayoutDashboard, Plus, ReceiptText, UserRound, type LucideIcon } from 'lucide-react'
import { useState } from 'react'
import { Link, NavLink } from 'react-router'
import { Modal } from '@/components/dialog'
import { paths } from '@/lib/paths'

const tab =
  'flex min-h-14 grow flex-col items-center justify-center gap-0.5 rounded-md px-1 text-xs font-medium text-ink-soft aria-[current=page]:text-accent-text'

/** What a thumb reaches on a phone; everything else is in the drawer [NAV-01]. */
export function TabBar() {
  const [isMoving, setMoving] = useState(false)
  return (
    <nav
      aria-label="Quick menu"
      className="tab-bar hidden grid-cols-[1fr_auto_1fr] gap-1 border-t border-line bg-canvas/95 px-1 pb-[env(safe-area-inset-bottom)] thumb:grid"
    >
      <div className="flex">
        <Tab to={paths.dashboard} label="Home" icon={LayoutDashboard} />
        <Tab to={paths.investments} label="Invest" icon={ChartNoAxesCombined} />
      </div>
      <button
        type="button"
        aria-label="Move money"
        aria-haspopup="dialog"
        onClick={() => setMoving(true)}
        className="grid size-12 place-items-center self-center rounded-full border border-transparent bg-accent text-accent-ink active:bg-accent-strong"
      >
        <Plus aria-hidden className="size-6" />
      </button>
      <div className="flex">
        <Tab to={paths.transactions} label="Transactions" icon={ReceiptText} />
        <Tab to={paths.profile} label="Profile" icon={UserRound} />
      </div>
      <MoveMoney open={isMoving} onClose={() => setMoving(false)} />
    </nav>
  )
}

function Tab({ to, label, icon: Icon }: { to: string; label: string; icon: LucideIcon }) {
  return (
    <NavLink to={to} className={tab}>
      <Icon aria-hidden className="size-5.5" />
      {label}
    </NavLink>
  )
}

const moves = [
  { to: paths.deposits, label: 'Make Deposit', text: 'Send coins, receive dollars', icon: ArrowDownToLine },
  { to: paths.withdrawals, label: 'Make Withdrawal', text: 'To an address of yours', icon: ArrowUpFromLine },
  { to: paths.plans, label: 'Invest', text: 'Choose a plan', icon: ChartNoAxesCombined },
] as const

function MoveMoney({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Modal
      open={open}
      onClose={onClose}
      label="Move money"
      className="mt-auto mb-0 w-full max-w-none rounded-t-xl bg-surface px-3 pt-3 pb-[calc(1rem+env(safe-area-inset-bottom))] text-ink shadow-float open:animate-rise"
    >
      <ul>
        {moves.map(({ to, label, text, icon: Icon }) => (
          <li key={to}>
            <Link to={to} onClick={onClose} className="flex min-h-16 items-center gap-3.5 rounded-md px-3 hover:bg-sunken">
              <span className="grid size-10 place-items-center rounded-full bg-accent-soft text-accent-text">
                <Icon aria-hidden className="size-5" />
              </span>
              <span>
                <span className="block font-semibold">{label}</span>
                <span className="block text-sm text-ink-soft">{text}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Modal>
  )
}
