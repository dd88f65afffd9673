import { Suspense, lazy, type ComponentType } from 'react'
import { Navigate, Outlet, Route, Routes, useLocation } from 'react-router'
import { ErrorPanel, NoAccess } from '@/components/states'
import { PageLoader } from '@/components/spinner'
import { useMe } from '@/features/admin/api/get-me'
import { wasLeftAlone } from '@/features/admin/idle'
import { adminPaths } from '@/features/admin/paths'
import type { Permission } from '@/features/admin/api/types'
import { useMay } from '@/features/admin/permissions'
import { useSessionCheck } from '@/features/auth/api/check-session'
import { loadChunk } from '@/lib/load-chunk'
import { paths, type LoginState } from '@/lib/paths'
import { useSession } from '@/lib/session'
import { AdminLayout } from './admin-layout'

function page<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return lazy(async () => ({ default: (await loadChunk(load))[name] }))
}

const NotFoundPage = page(() => import('../not-found-page'), 'NotFoundPage')
const QueuePage = page(() => import('./queue-page'), 'QueuePage')
const ReviewPage = page(() => import('./review-page'), 'ReviewPage')
const UnclaimedPage = page(() => import('./unclaimed-page'), 'UnclaimedPage')
const PayoutsPage = page(() => import('./payouts-page'), 'PayoutsPage')
const MembersPage = page(() => import('./members-page'), 'MembersPage')
const MemberPage = page(() => import('./member-page'), 'MemberPage')
const PlansPage = page(() => import('./plans-page'), 'PlansPage')
const PlanPage = page(() => import('./plan-page'), 'PlanPage')
const NewPlanPage = page(() => import('./new-plan-page'), 'NewPlanPage')
const CoursePage = page(() => import('./course-page'), 'CoursePage')
const MethodsPage = page(() => import('./methods-page'), 'MethodsPage')
const ProposalsPage = page(() => import('./proposals-page'), 'ProposalsPage')
const StaffPage = page(() => import('./staff-page'), 'StaffPage')
const AuditPage = page(() => import('./audit-page'), 'AuditPage')
const IntegrityPage = page(() => import('./integrity-page'), 'IntegrityPage')
const HoldingsPage = page(() => import('./holdings-page'), 'HoldingsPage')
const SecurityPage = page(() => import('./security-page'), 'SecurityPage')

/** The back office. To everybody but staff its addresses do not exist [D-O2]. */
export function AdminArea() {
  const { isChecking } = useSessionCheck()
  const { user, left } = useSession()
  const { pathname, search } = useLocation()
  if (isChecking) return <PageLoader label="Checking your session" />
  if (!user) {
    const leftAlone = wasLeftAlone()
    const from = left && !leftAlone ? undefined : `${pathname}${search}`
    return <Navigate to={paths.login} replace state={{ from, leftAlone } satisfies LoginState} />
  }
  if (!user.role) return <NotFoundPage />
  return <StaffArea />
}

/** Nothing else is open before a second factor is set up, where one is required [D-O1]. */
function StaffArea() {
  const { pathname } = useLocation()
  const { data: me, isPending, isFetching, error, refetch } = useMe()
  if (isPending) return <PageLoader label="Loading the back office" />
  if (!me) return <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
  const mustEnrol = me.totp.required && !me.totp.enrolled && me.totp.passkeys === 0
  if (mustEnrol && pathname !== adminPaths.security) return <Navigate to={adminPaths.security} replace />
  return (
    <Suspense fallback={<PageLoader />}>
      <Routes>
        <Route element={<AdminLayout locked={mustEnrol} />}>
          <Route index element={<QueuePage />} />
          <Route path="review/:id" element={<ReviewPage />} />
          <Route path="payments" element={<UnclaimedPage />} />
          <Route path="payouts" element={<PayoutsPage />} />
          <Route path="payouts/:id" element={<PayoutsPage />} />
          <Route path="members" element={<MembersPage />} />
          <Route path="members/:id" element={<MemberPage />} />
          <Route path="plans" element={<PlansPage />} />
          <Route path="plans/:id" element={<PlanPage />} />
          <Route path="course" element={<CoursePage />} />
          <Route path="payment-methods" element={<MethodsPage />} />
          <Route path="proposals" element={<ProposalsPage />} />
          <Route path="integrity" element={<IntegrityPage />} />
          <Route path="holdings" element={<HoldingsPage />} />
          <Route path="security" element={<SecurityPage />} />
          <Route element={<For act="changePlans" />}>
            <Route path="plans/new" element={<NewPlanPage />} />
          </Route>
          <Route element={<For act="seeStaff" />}>
            <Route path="staff" element={<StaffPage />} />
          </Route>
          <Route element={<For act="seeAudit" />}>
            <Route path="audit" element={<AuditPage />} />
          </Route>
        </Route>
        <Route path="*" element={<NotFoundPage />} />
      </Routes>
    </Suspense>
  )
}

/** Pages that require a permission. Others see a notice, without a request to the server. */
function For({ act }: { act: Permission }) {
  const may = useMay()
  return may(act) ? <Outlet /> : <NoAccess />
}
