import {
  ChartColumn,
  ChartLine,
  CircleCheckBig,
  GraduationCap,
  HandCoins,
  Inbox,
  KeyRound,
  Landmark,
  LogOut,
  Megaphone,
  MessagesSquare,
  ScrollText,
  SearchCheck,
  UserCog,
  Users,
  Vault,
  Wallet,
  type LucideIcon,
} from 'lucide-react'
import { NavLink } from 'react-router'
import { cx } from '@/components/cx'
import { useOwnWaiting } from '@/features/admin-cases/api/cases'
import { useUnclaimedCount } from '@/features/admin-review/api/list-unclaimed'
import { useQueue } from '@/features/admin-review/api/list-waiting'
import { useProposals } from '@/features/admin-proposals/api/proposals'
import { adminPaths } from '@/features/admin/paths'
import type { Permission } from '@/features/admin/api/types'
import { useIncludes, useMayDecide } from '@/features/admin/permissions'
import { sendWaiting } from '@/features/admin/undo'
import { useLogOut } from '@/features/auth/api/log-out'
import { useMember } from '@/lib/session'

type Entry = { to: string; label: string; icon: LucideIcon; act?: Permission; count?: number }

/** The number of open items beside each entry. */
function useCounts() {
  const mayDecide = useMayDecide()
  const { id } = useMember()
  const { data: queue } = useQueue()
  const { proposals } = useProposals('open')
  const sum = (wanted: (kind: string) => boolean) =>
    queue?.queue.filter(({ kind }) => wanted(kind)).reduce((total, { count }) => total + count, 0)
  return {
    decisions: sum((kind) => kind !== 'payout'),
    payouts: sum((kind) => kind === 'payout'),
    // After what the page itself asks for.
    unclaimed: useUnclaimedCount({ enabled: queue !== undefined }),
    proposals: proposals?.filter((one) => one.proposedBy !== id && mayDecide(one)).length,
    cases: useOwnWaiting(),
  }
}

const groups = (counts: ReturnType<typeof useCounts>): { name: string; entries: Entry[] }[] => [
  {
    name: 'Work',
    entries: [
      { to: adminPaths.queue, label: 'Queue', icon: Inbox, count: counts.decisions },
      { to: adminPaths.payouts, label: 'Payouts', icon: HandCoins, count: counts.payouts },
      { to: adminPaths.unclaimed, label: 'Unclaimed payments', icon: SearchCheck, count: counts.unclaimed },
      { to: adminPaths.proposals, label: 'Proposals', icon: CircleCheckBig, count: counts.proposals },
      { to: adminPaths.members, label: 'Members', icon: Users },
      { to: adminPaths.cases, label: 'Cases', icon: MessagesSquare, count: counts.cases },
    ],
  },
  {
    name: 'Product',
    entries: [
      { to: adminPaths.plans, label: 'Plans and values', icon: ChartLine },
      { to: adminPaths.course, label: 'Course', icon: GraduationCap },
      { to: adminPaths.methods, label: 'Platform methods', icon: Wallet },
      { to: adminPaths.announcements, label: 'Announcements', icon: Megaphone, act: 'announce' },
    ],
  },
  {
    name: 'Control',
    entries: [
      { to: adminPaths.solvency, label: 'Solvency', icon: Landmark },
      { to: adminPaths.treasury, label: 'Treasury', icon: Vault },
      { to: adminPaths.figures, label: 'Figures', icon: ChartColumn },
      { to: adminPaths.audit, label: 'Audit log', icon: ScrollText, act: 'seeAudit' },
      { to: adminPaths.staff, label: 'Staff', icon: UserCog, act: 'seeStaff' },
    ],
  },
]

const item =
  'flex min-h-10 w-full items-center gap-3 rounded-md px-2.5 text-sm font-medium text-hero-soft transition-colors hover:bg-hero-raised hover:text-hero-ink pointer-coarse:min-h-11'

/** The entries for the caller's role. */
export function AdminNav({ locked, onNavigate }: { locked: boolean; onNavigate?: () => void }) {
  const { logOut, busy } = useLogOut()
  return (
    <nav aria-label="Back office" className="flex flex-1 flex-col gap-5 overflow-y-auto">
      {locked ? null : <Groups onNavigate={onNavigate} />}
      <div className="mt-auto space-y-0.5">
        <NavLink to={adminPaths.security} onClick={onNavigate} className={({ isActive }) => cx(item, isActive && 'bg-hero-raised text-hero-ink')}>
          <KeyRound aria-hidden className="size-4.5" />
          Security
        </NavLink>
        <button type="button" disabled={busy} onClick={() => void sendWaiting().then(() => logOut())} className={item}>
          <LogOut aria-hidden className="size-4.5" />
          Logout
        </button>
      </div>
    </nav>
  )
}

const noCounts = { decisions: undefined, payouts: undefined, unclaimed: undefined, proposals: undefined, cases: 0 }

/** The pages that the caller may open, for the search. */
export function useOpenPages() {
  const includes = useIncludes()
  const entries = groups(noCounts).flatMap(({ entries }) => entries)
  return [...entries, { to: adminPaths.security, label: 'Security', act: undefined }].filter(({ act }) => !act || includes(act))
}

function Groups({ onNavigate }: { onNavigate?: () => void }) {
  const includes = useIncludes()
  const counts = useCounts()
  return groups(counts).map(({ name, entries }) => (
    <div key={name}>
      <p className="mb-1 px-2.5 text-xs font-semibold text-hero-soft">{name}</p>
      <ul className="space-y-0.5">
        {entries
          .filter(({ act }) => !act || includes(act))
          .map(({ to, label, icon: Icon, count }) => (
            <li key={to}>
              <NavLink
                to={to}
                end={to === adminPaths.queue}
                onClick={onNavigate}
                className={({ isActive }) => cx(item, isActive && 'bg-hero-raised text-hero-ink')}
              >
                <Icon aria-hidden className="size-4.5" />
                {label}
                {Boolean(count) && (
                  <span className="tabular ms-auto rounded-full bg-hero-ink px-2 text-xs leading-5 font-semibold text-hero">
                    {count}
                    <span className="sr-only"> waiting</span>
                  </span>
                )}
              </NavLink>
            </li>
          ))}
      </ul>
    </div>
  ))
}
