import { useQueryClient } from '@tanstack/react-query'
import { Bell, Menu, X } from 'lucide-react'
import { Suspense, lazy, useEffect, useState } from 'react'
import { Link } from 'react-router'
import { IconButton, IconLink } from '@/components/button'
import { Modal } from '@/components/dialog'
import { Logo } from '@/components/logo'
import { Skeleton } from '@/components/skeleton'
import { SupportLink } from '@/components/support-link'
import { onStepUp } from '@/lib/api-client'
import { keepLastData } from '@/lib/last-data'
import { loadChunk } from '@/lib/load-chunk'
import { loadWords } from '@/lib/load-words'
import { brand } from '@/lib/brand'
import { usePageStands, watchPage } from '@/lib/page-stands'
import { paths } from '@/lib/paths'
import { useMember } from '@/lib/session'
import { loadWhenIdle } from './idle-work'
import { loadable } from './loadable'
import { NavMenu } from './nav-menu'
import { PageOutlet } from './page-outlet'
import { ProfileMenu } from './profile-menu'
import { SkipLink } from './skip-link'
import { StatusBars } from './status-bars'
import { TabBar } from './tab-bar'
import { ThemeToggle } from './theme-toggle'

onStepUp(async (digest) => (await loadChunk(() => import('@/features/factors/components/step-up-dialog'))).askForFactor(digest))

// Few members ever see it.
const FrozenNotice = lazy(async () => ({ default: (await loadChunk(() => import('./frozen-notice'))).FrozenNotice }))

const NoticeBell = loadable(() => import('@/features/notices/components/notice-bell'), 'NoticeBell')
const LiveUpdates = loadable(() => import('./live-updates'), 'LiveUpdates')
const AnnouncementBanners = loadable(() => import('@/features/notices/components/announcements'), 'AnnouncementBanners')

/** The member area: sidebar on the desktop, drawer and shortcuts on the phone, top bar on both [NAV-01]. */
export function MemberLayout() {
  useEffect(loadWhenIdle, [])
  useEffect(loadWords, [])
  const client = useQueryClient()
  useEffect(() => watchPage(client), [client])
  const stands = usePageStands()
  useEffect(() => keepLastData(client), [client])
  const { isFrozen } = useMember()
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15.5rem_minmax(0,1fr)]">
      <SkipLink />
      <aside className="sticky top-0 hidden h-dvh flex-col border-e border-line bg-surface px-3 py-5 lg:flex">
        <Link to={paths.dashboard} className="mx-2 mb-7 flex self-start rounded-md" aria-label={`${brand.name} dashboard`}>
          <Logo />
        </Link>
        <NavMenu />
        <Help />
      </aside>
      <div className="min-w-0">
        <TopBar />
        <StatusBars />
        <main id="main" tabIndex={-1} className="mx-auto w-full max-w-6xl px-4 pt-6 pb-16 outline-none thumb:pb-[calc(8rem+env(safe-area-inset-bottom))] sm:px-6 lg:px-8 lg:pt-8">
          {isFrozen && (
            <Suspense fallback={<Skeleton className="mb-6 h-24" />}>
              <FrozenNotice />
            </Suspense>
          )}
          {stands && (
            <Suspense fallback={null}>
              <LiveUpdates />
              <AnnouncementBanners />
            </Suspense>
          )}
          <PageOutlet />
        </main>
        <TabBar />
      </div>
    </div>
  )
}

function TopBar() {
  const [drawerOpen, setDrawerOpen] = useState(false)
  return (
    <header className="top-bar flex h-16 items-center gap-2 border-b border-line bg-canvas/90 px-2 sm:px-4 lg:px-8">
      <IconButton label="Open menu" onClick={() => setDrawerOpen(true)} className="lg:hidden">
        <Menu aria-hidden className="size-5.5" />
      </IconButton>
      <Link to={paths.dashboard} className="flex rounded-md lg:hidden" aria-label={`${brand.name} dashboard`}>
        <Logo />
      </Link>
      <div className="ms-auto flex items-center gap-1">
        <Notices />
        <ThemeToggle />
        <ProfileMenu />
      </div>
      <Drawer open={drawerOpen} onClose={() => setDrawerOpen(false)} />
    </header>
  )
}

/** How many there are is asked for once the page stands. */
function Notices() {
  const plain = (
    <IconLink to={paths.notices} label="Notices">
      <Bell aria-hidden className="size-5" />
    </IconLink>
  )
  return usePageStands() ? (
    <Suspense fallback={plain}>
      <NoticeBell />
    </Suspense>
  ) : (
    plain
  )
}

const helpLink = 'inline-flex min-h-9 items-center underline underline-offset-3 hover:text-ink pointer-coarse:min-h-11'

/** Below the menu: where to ask. */
const Help = () => (
  <p className="mt-2 border-t border-line px-3 pt-3 text-xs text-ink-faint">
    <Link to={paths.help} className={helpLink}>
      Help
    </Link>
    {' · '}
    <SupportLink className={helpLink}>Contact support</SupportLink>
    <br />
    <Link to={paths.status} className={helpLink}>
      Service status
    </Link>
  </p>
)

function Drawer({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Modal
      open={open}
      onClose={onClose}
      label="Menu"
      className="m-0 h-dvh max-h-none w-76 max-w-[85vw] bg-surface px-3 py-4 shadow-float open:flex open:flex-col"
    >
      <div className="mb-5 flex items-center justify-between ps-2">
        <Logo />
        <IconButton label="Close menu" onClick={onClose}>
          <X aria-hidden className="size-5.5" />
        </IconButton>
      </div>
      <NavMenu onNavigate={onClose} />
      <Help />
    </Modal>
  )
}
