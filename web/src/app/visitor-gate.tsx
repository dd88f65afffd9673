import { Suspense, lazy } from 'react'
import { Outlet } from 'react-router'
import { PageLoader } from '@/components/spinner'
import { useSession } from '@/lib/session'

const SignedInGuard = lazy(() => import('./guard').then((module) => ({ default: module.SignedInGuard })))

/** A visitor goes straight through, without the code that checks sessions. */
export function VisitorGate() {
  const hasToken = useSession((session) => session.token !== null)
  if (!hasToken) return <Outlet />
  return (
    <Suspense fallback={<PageLoader label="Checking your session" />}>
      <SignedInGuard />
    </Suspense>
  )
}
