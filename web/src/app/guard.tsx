import { Navigate, Outlet, useLocation } from 'react-router'
import { PageLoader } from '@/components/spinner'
import { useSessionCheck } from '@/features/auth/api/check-session'
import { paths } from '@/lib/paths'
import { useSession } from '@/lib/session'
import { useReturnPath } from './return-path'

/** Admits verified members and redirects everybody else; staff are not members [D-O1]. */
export function MemberGuard() {
  const { isChecking } = useSessionCheck()
  const { user, left } = useSession()
  const { pathname, search, hash } = useLocation()
  if (isChecking) return <PageLoader label="Checking your session" />
  if (!user) {
    const from = left ? undefined : `${pathname}${search}${hash}`
    return <Navigate to={paths.login} replace state={{ from }} />
  }
  if (user.role) return <Navigate to={paths.admin} replace />
  if (!user.isVerified) return <Navigate to={paths.verify(user.email)} replace />
  return <Outlet />
}

/** Redirects verified members from login and registration to the dashboard [AUTH-02]. */
export function SignedInGuard() {
  const { isChecking } = useSessionCheck()
  const user = useSession((session) => session.user)
  const returnTo = useReturnPath()
  if (isChecking) return <PageLoader label="Checking your session" />
  if (user?.isVerified) return <Navigate to={returnTo ?? (user.role ? paths.admin : paths.dashboard)} replace />
  return <Outlet />
}

/** Loads the current user on start, on any page. */
export function SessionStart() {
  useSessionCheck()
  return null
}
