import { useQuery } from '@tanstack/react-query'
import { adminKeys } from '@/features/admin/api/keys'
import type { Holdings } from '@/features/admin/api/types'
import { api } from '@/lib/api-client'

const POLL_MS = 30_000

/** What is held on chains, compared with the books in units [D-Q8]. */
export const useHoldings = () =>
  useQuery({
    queryKey: adminKeys.holdings,
    queryFn: ({ signal }) => api.get<Holdings>('/admin/holdings', { signal }),
    refetchInterval: POLL_MS,
    meta: { silent: true },
  })
