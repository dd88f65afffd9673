import type { Activity } from '@/lib/api-types'
import { usePagedQuery } from '@/lib/paged-query'
import { queryKeys } from '@/lib/query-keys'

/** What happened to the security of the account in the last 13 months. */
export function useActivity() {
  const { pages, ...query } = usePagedQuery<Activity>(queryKeys.activity, '/users/activity')
  return { ...query, events: pages?.flatMap((page) => page.events) }
}
