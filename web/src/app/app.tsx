import { QueryClientProvider } from '@tanstack/react-query'
import { Suspense, useEffect, useRef, type ComponentType, type ReactNode } from 'react'
import { BrowserRouter, useLocation } from 'react-router'
import { Toasts } from '@/components/toast-area'
import { queryClient } from '@/lib/query-client'
import { followOtherTabs, useSession } from '@/lib/session'
import { ErrorBoundary, PageBoundary } from './error-boundary'
import { loadRoute, loadable } from './loadable'
import { Router, routes } from './router'

const SessionStart = loadable(() => import('./guard'), 'SessionStart')

/** Loads what the app shows first. */
export async function loadFirst() {
  await Promise.all([loadRoute(routes, window.location.pathname), useSession.getState().token !== null && SessionStart.load()])
}

/** `router`: where the address comes from; the build, which has no browser, brings its own. */
export function App({ router: Place = BrowserRouter }: { router?: ComponentType<{ children: ReactNode }> }) {
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        <Place>
          <ScrollToTop />
          <PageBoundary>
            <Session />
            <Router />
          </PageBoundary>
        </Place>
        <Toasts />
      </QueryClientProvider>
    </ErrorBoundary>
  )
}

/** Checks the stored session on start, on any page, and follows the other tabs. */
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
