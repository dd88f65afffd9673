import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Evidence } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

/** How often the chain is asked for news while somebody waits for it. */
const PAUSE = 5_000

/** What the chain shows of a transaction that is pending, kept up to date [D-Q7]. */
export function usePayments(id: string) {
  return useQuery({
    queryKey: queryKeys.transactionPayments(id),
    queryFn: ({ signal }) => api.get<{ evidence?: Evidence }>(`/transactions/${encodeURIComponent(id)}/payments`, { signal }),
    select: ({ evidence }) => evidence,
    refetchInterval: PAUSE,
    meta: { silent: true },
  })
}
