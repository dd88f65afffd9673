import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { adminKeys } from '@/features/admin/api/keys'
import type { Queue, WaitingTransaction } from '@/features/admin/api/types'
import { firstPages } from '@/lib/first-pages'

const POLL_MS = 5_000
/** The list is asked for again when the counts change, and now and then in any case. */
const LIST_POLL_MS = 20_000

/** How much waits, of which kind, since when, and how long decisions took lately. */
export const useQueue = () =>
  useQuery({
    queryKey: adminKeys.queue,
    queryFn: ({ signal }) => api.get<Queue>('/admin/queue', { signal }),
    refetchInterval: POLL_MS,
    meta: { silent: true },
  })

/** What waits, the longest waiting first. */
export function useWaiting() {
  const queue = useQueue()
  const signature = (queue.data?.queue ?? []).map(({ kind, count, oldestAt }) => `${kind}:${count}:${oldestAt ?? ''}`).join()
  return useQuery({
    queryKey: adminKeys.waiting(signature),
    queryFn: ({ signal }) => api.get<{ transactions: WaitingTransaction[] }>(firstPages.waiting, { signal }),
    select: ({ transactions }) => transactions,
    refetchInterval: LIST_POLL_MS,
    placeholderData: keepPreviousData,
    enabled: !queue.isPending,
    meta: { silent: true },
  })
}

/** What a transaction waits for: the kind of its decision, or the payout of one that is approved. */
export const waitsFor = (one: Pick<WaitingTransaction, 'kind' | 'approved'>) => (one.approved ? 'payout' : one.kind)
