import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Notices } from '@/lib/api-types'
import { usePagedQuery } from '@/lib/paged-query'
import { queryKeys } from '@/lib/query-keys'
import type { Group } from '../words'

/** For when the event stream is missing. */
const POLL_MS = 60_000

/** The newest notices, and how many are unread. Where they cannot be loaded, the page of notices says why. */
export const useNewestNotices = () =>
  useQuery({
    queryKey: [...queryKeys.notices, 'newest'],
    queryFn: ({ signal }) => api.get<Notices>('/notices', { signal }),
    refetchInterval: POLL_MS,
    meta: { silent: true },
  })

/** The notices of a group or all, page by page. */
export function useNotices(group: Group | 'all') {
  const params = { group: group === 'all' ? undefined : group }
  const { pages, ...query } = usePagedQuery<Notices>([...queryKeys.notices, 'of', group], '/notices', { params, silent: true })
  return { ...query, notices: pages?.flatMap((page) => page.notices) }
}
