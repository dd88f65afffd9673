import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Step } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

/** How often the chain is asked for news while somebody waits for it. */
const PAUSE = 5_000

/** The steps of a payment that is open, with what the chain shows of it, kept up to date [D-Q7]. */
export function usePayments(id: string, enabled: boolean) {
  return useQuery({
    queryKey: [...queryKeys.transactions, 'payments', id],
    queryFn: ({ signal }) => api.get<{ steps: Step[] }>(`/transactions/${encodeURIComponent(id)}/payments`, { signal }),
    enabled,
    refetchInterval: PAUSE,
    meta: { silent: true },
  })
}
