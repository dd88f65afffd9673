import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { HandlingTimes } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

/** How long the requests of all members took in the last 24 hours. */
export const useHandlingTimes = () =>
  useQuery({
    queryKey: queryKeys.transactionTimes,
    queryFn: ({ signal }) => api.get<{ times: HandlingTimes }>('/transactions/times', { signal }),
    select: ({ times }) => times,
    staleTime: 60_000,
    meta: { silent: true },
  })
