/** What the dashboard shows, by the paths that its head asks for it with. */
import { sessionQuery } from '@/features/auth/api/check-session'
import { courseQuery } from '@/features/courses/api/get-course'
import { daysQuery } from '@/features/investments/api/list-days'
import { planCourseQuery } from '@/features/investments/api/list-plans'
import { allTradesQuery } from '@/features/investments/api/list-trades'
import { transactionsQuery } from '@/features/transactions/api/list-transactions'
import { takeFirstData } from '@/lib/first-data'
import { firstPages } from '@/lib/first-pages'
import { heldPlans } from '@/lib/held-plans'
import { queryClient } from '@/lib/query-client'

export function takeFigures() {
  const planIds = heldPlans()
  return takeFirstData({
    '/auth/check': () => queryClient.prefetchQuery(sessionQuery),
    '/trades?status=all': () => queryClient.prefetchQuery(allTradesQuery),
    [firstPages.transactions]: () => queryClient.prefetchInfiniteQuery(transactionsQuery),
    '/courses': () => queryClient.prefetchQuery(courseQuery),
    '/wallet/days': () => queryClient.prefetchQuery(daysQuery),
    [firstPages.planValues(planIds)]: () => Promise.all(planIds.map((id) => queryClient.prefetchQuery(planCourseQuery(id)))),
  })
}
