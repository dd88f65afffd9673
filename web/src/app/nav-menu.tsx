import {
  ArrowDownToLine,
  ArrowUpFromLine,
  ChartNoAxesCombined,
  GraduationCap,
  LayoutDashboard,
  LogOut,
  ReceiptText,
  UserRound,
} from 'lucide-react'
import { NavLink } from 'react-router'
import { cx } from '@/components/cx'
import { useLogOut } from '@/features/auth/api/log-out'
import { paths } from '@/lib/paths'

const entries = [
  { to: paths.dashboard, label: 'Dashboard', icon: LayoutDashboard },
  { to: paths.courses, label: 'Courses', icon: GraduationCap },
  { to: paths.deposits, label: 'Deposits', icon: ArrowDownToLine },
  { to: paths.withdrawals, label: 'Withdrawals', icon: ArrowUpFromLine },
  { to: paths.investments, label: 'Investments', icon: ChartNoAxesCombined },
  { to: paths.transactions, label: 'Transactions', icon: ReceiptText },
  { to: paths.profile, label: 'Profile', icon: UserRound },
] as const

const item =
  'flex min-h-11 w-full items-center gap-3 rounded-md px-3 text-sm font-medium transition-colors hover:bg-sunken hover:text-ink'

/** The same entries in the sidebar and in the drawer. */
export function NavMenu({ onNavigate }: { onNavigate?: () => void }) {
  const { logOut, busy } = useLogOut()
  return (
    <nav aria-label="Main" className="flex flex-1 flex-col overflow-y-auto">
      <ul className="space-y-1">
        {entries.map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <NavLink
              to={to}
              onClick={onNavigate}
              className={({ isActive }) =>
                cx(item, isActive ? 'bg-accent-soft text-accent-text hover:bg-accent-soft hover:text-accent-text' : 'text-ink-soft')
              }
            >
              <Icon aria-hidden className="size-4.5" />
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
      <button type="button" disabled={busy} onClick={() => void logOut()} className={cx(item, 'mt-auto text-ink-soft')}>
        <LogOut aria-hidden className="size-4.5" />
        Logout
      </button>
    </nav>
  )
}
