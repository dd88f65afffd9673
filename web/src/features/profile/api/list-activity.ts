import { useInfiniteQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Activity } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

/** What happened to the security of the account in the last 13 months. */
export function useActivity() {
  const query = useInfiniteQuery({
    queryKey: queryKeys.activity,
    queryFn: ({ pageParam, signal }) =>
      api.get<Activity>(`/users/activity${pageParam ? `?cursor=${encodeURIComponent(pageParam)}` : ''}`, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor ?? null,
  })
  return { ...query, events: query.data?.pages.flatMap((page) => page.events) }
}
