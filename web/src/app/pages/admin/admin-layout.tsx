import { Menu, ShieldAlert, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { IconButton } from '@/components/button'
import { Modal } from '@/components/dialog'
import { Logo } from '@/components/logo'
import { useMe } from '@/features/admin/api/get-me'
import { useIntegrity } from '@/features/admin/api/get-integrity'
import { verdictOn } from '@/features/admin/verdict'
import { SearchButton } from '@/features/admin-search/components/search-button'
import { IdleWarning } from '@/features/admin/components/idle-warning'
import { adminPaths } from '@/features/admin/paths'
import { roles } from '@/features/admin/permissions'
import { MENU_BEHIND_BUTTON, useMedia } from '@/features/admin/use-media'
import { onFactorNeeded, sendWaiting } from '@/features/admin/undo'
import { useLogOut } from '@/features/auth/api/log-out'
import { onStepUp } from '@/lib/api-client'
import { formatZoned } from '@/lib/dates'
import { loadChunk } from '@/lib/load-chunk'
import { loadWords } from '@/lib/load-words'
import { useMember } from '@/lib/session'
import { PageOutlet } from '../../page-outlet'
import { SkipLink } from '../../skip-link'
import { ThemeToggle } from '../../theme-toggle'
import { AdminNav, useOpenPages } from './admin-nav'

const askForFactor = async (digest?: string) => (await loadChunk(() => import('@/features/factors/components/step-up-dialog'))).askForFactor(digest)
onStepUp(askForFactor)
onFactorNeeded(askForFactor)

/** `locked`: only the page that enrols an authenticator is accessible. */
export function AdminLayout({ locked }: { locked: boolean }) {
  const { logOut } = useLogOut()
  const { pathname, search } = useLocation()
  // Out of sight it would still ask for its counts.
  const isMenuBehindButton = useMedia(MENU_BEHIND_BUTTON)
  useEffect(loadWords, [])
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[14rem_minmax(0,1fr)]">
      <SkipLink />
      {!isMenuBehindButton && (
        <aside className="sticky top-0 flex h-dvh flex-col bg-hero px-3 py-4">
          <Brand />
          <AdminNav locked={locked} />
        </aside>
      )}
      <div className="min-w-0">
        <TopBar locked={locked} />
        {!locked && <StopBanner />}
        {!locked && <NewStaffBanner />}
        <main id="main" tabIndex={-1} className="mx-auto w-full max-w-[88rem] px-4 pt-5 pb-16 outline-none sm:px-6">
          <PageOutlet />
        </main>
      </div>
      <IdleWarning onIdle={() => void sendWaiting().then(() => logOut({ from: `${pathname}${search}`, leftAlone: true }))} />
    </div>
  )
}

/** Shows new staff when they may begin to decide [D-O5]. */
function NewStaffBanner() {
  const { data } = useMe()
  if (!data?.decidesFrom) return null
  return (
    <p role="status" className="border-b border-line bg-sunken px-4 py-2 text-sm sm:px-6">
      Your role is new: you can read everything, and decide and propose from {formatZoned(data.decidesFrom)}.
    </p>
  )
}

const OpenSearch = () => <SearchButton pages={useOpenPages()} />

function Brand() {
  return (
    <Link to={adminPaths.queue} className="mx-2 mb-5 flex items-center gap-2 self-start rounded-md" aria-label="Back office, queue">
      <Logo onHero />
    </Link>
  )
}

function TopBar({ locked }: { locked: boolean }) {
  const [open, setOpen] = useState(false)
  const { name, role } = useMember()
  return (
    <header className="top-bar flex h-14 items-center gap-2 border-b border-line bg-canvas/90 px-2 sm:px-6">
      <IconButton label="Open menu" onClick={() => setOpen(true)} className="lg:hidden">
        <Menu aria-hidden className="size-5.5" />
      </IconButton>
      <p className="text-sm font-semibold whitespace-nowrap text-ink">Back office</p>
      {!locked && <OpenSearch />}
      <div className="ms-auto flex min-w-0 items-center gap-3">
        <p className="min-w-0 truncate text-end text-sm text-ink-faint">
          <span className="hidden font-medium text-ink sm:inline">{name} · </span>
          {role && roles[role].name}
        </p>
        <ThemeToggle />
      </div>
      <Modal
        open={open}
        onClose={() => setOpen(false)}
        label="Menu"
        className="m-0 h-dvh max-h-none w-72 max-w-[85vw] bg-hero px-3 py-4 shadow-float open:flex open:flex-col"
      >
        <div className="flex items-start justify-between">
          <Brand />
          <button
            type="button"
            aria-label="Close menu"
            onClick={() => setOpen(false)}
            className="grid size-11 place-items-center rounded-md text-hero-soft hover:bg-hero-raised hover:text-hero-ink"
          >
            <X aria-hidden className="size-5.5" />
          </button>
        </div>
        <AdminNav locked={locked} onNavigate={() => setOpen(false)} />
      </Modal>
    </header>
  )
}

/** Shown on every page while withdrawals are paused or the verdict is bad [D-T4]. */
function StopBanner() {
  const { data } = useIntegrity()
  if (!data) return null
  const { stopped } = data.withdrawals
  const verdict = verdictOn(data)
  if (!stopped && verdict.ok) return null
  return (
    <div role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-1 bg-negative-soft px-4 py-2.5 text-sm text-negative sm:px-6">
      <ShieldAlert aria-hidden className="size-4.5" />
      <p className="font-semibold">{stopped ? 'Withdrawals are paused' : verdict.title}</p>
      {data.withdrawals.since && <p>since {formatZoned(data.withdrawals.since)}</p>}
      {stopped && !verdict.ok && <p>{verdict.title}.</p>}
      <Link to={adminPaths.solvency} className="ms-auto font-semibold underline underline-offset-2">
        Show the verdict
      </Link>
    </div>
  )
}
