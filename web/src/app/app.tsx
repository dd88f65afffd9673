import { QueryClientProvider } from '@tanstack/react-query'
import { Suspense, lazy, useEffect, useState } from 'react'
import { BrowserRouter, useLocation } from 'react-router'
import { useSessionCheck } from '@/features/auth/api/check-session'
import { onFirstToast } from '@/lib/notify'
import { queryClient } from '@/lib/query-client'
import { followOtherTabs } from '@/lib/session'
import { ErrorBoundary } from './error-boundary'
import { Router } from './router'

const Toaster = lazy(() => import('@/lib/toaster').then((module) => ({ default: module.Toaster })))

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <ErrorBoundary>
        <BrowserRouter>
          <SessionStart />
          <ScrollToTop />
          <Router />
        </BrowserRouter>
      </ErrorBoundary>
      <ToastArea />
    </QueryClientProvider>
  )
}

/** Loads the current user on start, on whatever page that is, and follows the other tabs. */
function SessionStart() {
  useSessionCheck()
  useEffect(() => followOtherTabs(() => queryClient.clear()), [])
  return null
}

/** Each change of the route scrolls smoothly to the top [NAV-04]. */
function ScrollToTop() {
  const { pathname } = useLocation()
  useEffect(() => {
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
