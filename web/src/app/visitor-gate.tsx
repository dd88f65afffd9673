import { Suspense } from 'react'
import { Outlet } from 'react-router'
import { PageLoader } from '@/components/spinner'
import { useSession } from '@/lib/session'
import { loadable } from './loadable'

const SignedInGuard = loadable(() => import('./guard'), 'SignedInGuard')

/**
 * A visitor passes without loading the code that checks sessions. What the build rendered for visitors stays hidden
 * from members, who are led on.
 */
export function VisitorGate() {
  const hasToken = useSession((session) => session.token !== null)
  if (!hasToken) {
    return (
      <div className="contents logged-in:invisible">
        <Outlet />
      </div>
    )
  }
  return (
    <Suspense fallback={<PageLoader label="Checking your session" />}>
      <SignedInGuard />
    </Suspense>
  )
}
