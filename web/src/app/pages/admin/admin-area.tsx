import { Suspense } from 'react'
import { Navigate, Outlet, Route, Routes, useLocation } from 'react-router'
import { ErrorPanel, NoAccess } from '@/components/states'
import { PageLoader } from '@/components/spinner'
import { meQuery, useMe } from '@/features/admin/api/get-me'
import { wasLeftAlone } from '@/features/admin/idle'
import { adminPaths } from '@/features/admin/paths'
import type { Permission } from '@/features/admin/api/types'
import { useIncludes } from '@/features/admin/permissions'
import { sessionQuery, useSessionCheck } from '@/features/auth/api/check-session'
import { takeFirstData } from '@/lib/first-data'
import { paths, type LoginState } from '@/lib/paths'
import { queryClient } from '@/lib/query-client'
import { useSession } from '@/lib/session'
import { loadRoute, loadable } from '../../loadable'
import { AdminLayout } from './admin-layout'

const NotFoundPage = loadable(() => import('../not-found-page'), 'NotFoundPage')
const QueuePage = loadable(async () => {
  const queue = await import('./queue-page')
  await queue.takeQueue()
  return queue
}, 'QueuePage')
const ReviewPage = loadable(() => import('./review-page'), 'ReviewPage')
const UnclaimedPage = loadable(() => import('./unclaimed-page'), 'UnclaimedPage')
const PayoutsPage = loadable(() => import('./payouts-page'), 'PayoutsPage')
const MembersPage = loadable(() => import('./members-page'), 'MembersPage')
const MemberPage = loadable(() => import('./member-page'), 'MemberPage')
const CasesPage = loadable(() => import('./cases-page'), 'CasesPage')
const CasePage = loadable(() => import('./case-page'), 'CasePage')
const PlansPage = loadable(() => import('./plans-page'), 'PlansPage')
const PlanPage = loadable(() => import('./plan-page'), 'PlanPage')
const NewPlanPage = loadable(() => import('./new-plan-page'), 'NewPlanPage')
const CoursePage = loadable(() => import('./course-page'), 'CoursePage')
const MethodsPage = loadable(() => import('./methods-page'), 'MethodsPage')
const AnnouncementsPage = loadable(() => import('./announcements-page'), 'AnnouncementsPage')
const ProposalsPage = loadable(() => import('./proposals-page'), 'ProposalsPage')
const StaffPage = loadable(() => import('./staff-page'), 'StaffPage')
const AuditPage = loadable(() => import('./audit-page'), 'AuditPage')
const SolvencyPage = loadable(() => import('./solvency-page'), 'SolvencyPage')
const TreasuryPage = loadable(() => import('./treasury-page'), 'TreasuryPage')
const FiguresPage = loadable(() => import('./figures-page'), 'FiguresPage')
const SecurityPage = loadable(() => import('./security-page'), 'SecurityPage')

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
      <Routes>{routes(mustEnrol)}</Routes>
    </Suspense>
  )
}

/** `locked`: as long as a second factor is missing. */
const routes = (locked: boolean) => (
  <>
    <Route element={<AdminLayout locked={locked} />}>
      <Route index element={<QueuePage />} />
      <Route path="review/:id" element={<ReviewPage />} />
      <Route path="payments" element={<UnclaimedPage />} />
      <Route path="payouts" element={<PayoutsPage />} />
      <Route path="payouts/:id" element={<PayoutsPage />} />
      <Route path="members" element={<MembersPage />} />
      <Route path="members/:id" element={<MemberPage />} />
      <Route path="cases" element={<CasesPage />} />
      <Route path="cases/:id" element={<CasePage />} />
      <Route path="plans" element={<PlansPage />} />
      <Route path="plans/:id" element={<PlanPage />} />
      <Route path="course" element={<CoursePage />} />
      <Route path="payment-methods" element={<MethodsPage />} />
      <Route path="proposals" element={<ProposalsPage />} />
      <Route path="solvency" element={<SolvencyPage />} />
      {['integrity', 'holdings'].map((earlier) => (
        <Route key={earlier} path={earlier} element={<Navigate to={adminPaths.solvency} replace />} />
      ))}
      <Route path="treasury" element={<TreasuryPage />} />
      <Route path="figures" element={<FiguresPage />} />
      <Route path="security" element={<SecurityPage />} />
      <Route element={<For act="changePlans" />}>
        <Route path="plans/new" element={<NewPlanPage />} />
      </Route>
      <Route element={<For act="announce" />}>
        <Route path="announcements" element={<AnnouncementsPage />} />
      </Route>
      <Route element={<For act="seeStaff" />}>
        <Route path="staff" element={<StaffPage />} />
      </Route>
      <Route element={<For act="seeAudit" />}>
        <Route path="audit" element={<AuditPage />} />
      </Route>
    </Route>
    <Route path="*" element={<NotFoundPage />} />
  </>
)

/** Loads the page of the back office at an address. */
export const loadPage = (pathname: string) =>
  Promise.all([
    loadRoute(routes(false), pathname, paths.admin),
    takeFirstData({ '/auth/check': () => queryClient.prefetchQuery(sessionQuery), '/admin/me': () => queryClient.prefetchQuery(meQuery) }),
  ])

/** Pages that require a permission. Others see a notice, without a request to the server. */
function For({ act }: { act: Permission }) {
  const includes = useIncludes()
  return includes(act) ? <Outlet /> : <NoAccess />
}
