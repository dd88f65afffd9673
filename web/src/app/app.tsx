import { QueryClientProvider } from '@tanstack/react-query'
import { Suspense, lazy, useEffect, useRef, useState, type ComponentType, type ReactNode } from 'react'
import { BrowserRouter, useLocation } from 'react-router'
import { onFirstToast } from '@/lib/notify'
import { queryClient } from '@/lib/query-client'
import { followOtherTabs, useSession } from '@/lib/session'
import { ErrorBoundary } from './error-boundary'
import { Router } from './router'

const SessionStart = lazy(() => import('./guard').then((module) => ({ default: module.SessionStart })))
const Toaster = lazy(() => import('@/lib/toaster').then((module) => ({ default: module.Toaster })))

/** `router`: where the address comes from; the build, which has no browser, brings its own. */
export function App({ router: Place = BrowserRouter }: { router?: ComponentType<{ children: ReactNode }> }) {
  return (
    <QueryClientProvider client={queryClient}>
      <ErrorBoundary>
        <Place>
          <Session />
          <ScrollToTop />
          <Router />
        </Place>
      </ErrorBoundary>
      <ToastArea />
    </QueryClientProvider>
  )
}

/** Checks the stored session on start, on whatever page that is, and follows the other tabs. */
function Session() {
  const hasToken = useSession((session) => session.token !== null)
  useEffect(() => followOtherTabs(() => queryClient.clear()), [])
  return <Suspense>{hasToken && <SessionStart />}</Suspense>
}

/** Each change of the route scrolls smoothly to the top [NAV-04]. */
function ScrollToTop() {
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches
    window.scrollTo({ top: 0, behavior: still ? 'auto' : 'smooth' })
  }, [pathname])
  return null
}

/** The toast area appears with the first message. */
function ToastArea() {
  const [wanted, setWanted] = useState(false)
  useEffect(() => onFirstToast(() => setWanted(true)), [])
  return <Suspense>{wanted && <Toaster />}</Suspense>
}
