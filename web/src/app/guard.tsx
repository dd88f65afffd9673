import { Navigate, Outlet, useLocation } from 'react-router'
import { PageLoader } from '@/components/spinner'
import { useSessionCheck } from '@/features/auth/api/check-session'
import { paths, safeReturnPath } from '@/lib/paths'
import { useSession } from '@/lib/session'

/** Lets verified members through; everybody else goes to the screen that comes first for them. */
export function MemberGuard() {
  const { isChecking } = useSessionCheck()
  const { user, left } = useSession()
  const { pathname, search, hash } = useLocation()
  if (isChecking) return <PageLoader label="Checking your session" />
  if (!user) {
    const from = left ? undefined : `${pathname}${search}${hash}`
    return <Navigate to={paths.login} replace state={{ from }} />
  }
  if (!user.isVerified) return <Navigate to={paths.verify(user.email)} replace />
  return <Outlet />
}

/** Login and registration are for those who are not signed in yet [AUTH-02]. */
export function VisitorGuard() {
  const { isChecking } = useSessionCheck()
  const user = useSession((session) => session.user)
  const returnTo = useReturnPath()
  if (isChecking) return <PageLoader label="Checking your session" />
  if (user?.isVerified) return <Navigate to={returnTo ?? paths.dashboard} replace />
  return <Outlet />
}

/** The protected page that sent the visitor to the login. */
export function useReturnPath(): string | undefined {
  const state: unknown = useLocation().state
  return typeof state === 'object' && state !== null && 'from' in state ? safeReturnPath(state.from) : undefined
}
