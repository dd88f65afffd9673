import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { adminKeys } from '@/features/admin/api/keys'
import type { Queue, WaitingTransaction } from '@/features/admin/api/types'
import { firstPages } from '@/lib/first-pages'
import { FRESH_MS, queryClient } from '@/lib/query-client'

const POLL_MS = 5_000
/** The list is asked for again when the counts change, and now and then in any case. */
const LIST_POLL_MS = 20_000

/** How much waits, of which kind, since when, and how long decisions took lately. */
const queueQuery = queryOptions({
  queryKey: adminKeys.queue,
  queryFn: ({ signal }) => api.get<Queue>('/admin/queue', { signal }),
  staleTime: FRESH_MS,
  meta: { silent: true },
})

export const useQueue = () => useQuery({ ...queueQuery, refetchInterval: POLL_MS })

const waitingQuery = (queue: Queue | undefined) =>
  queryOptions({
    queryKey: adminKeys.waiting((queue?.queue ?? []).map(({ kind, count, oldestAt }) => `${kind}:${count}:${oldestAt ?? ''}`).join()),
    queryFn: ({ signal }) => api.get<{ transactions: WaitingTransaction[] }>(firstPages.waiting, { signal }),
    staleTime: FRESH_MS,
    meta: { silent: true },
  })

/** What the queue shows first. */
export async function prefetchQueue() {
  await queryClient.prefetchQuery(queueQuery)
  const queue = queryClient.getQueryData(queueQuery.queryKey)
  if (queue) await queryClient.prefetchQuery(waitingQuery(queue))
}

/** What waits, the longest waiting first. */
export function useWaiting() {
  const queue = useQueue()
  return useQuery({
    ...waitingQuery(queue.data),
    select: ({ transactions }) => transactions,
    refetchInterval: LIST_POLL_MS,
    placeholderData: keepPreviousData,
    enabled: !queue.isPending,
  })
}

/** What a transaction waits for: the kind of its decision, or the payout of one that is approved. */
export const waitsFor = (one: Pick<WaitingTransaction, 'kind' | 'approved'>) => (one.approved ? 'payout' : one.kind)
