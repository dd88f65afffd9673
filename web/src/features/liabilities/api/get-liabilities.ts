import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'

export type Liabilities = { at: string; root: string; total: number; leaves: number }

/** The newest publication; needs no session. */
export const useLiabilities = () =>
  useQuery({
    queryKey: queryKeys.liabilities,
    queryFn: ({ signal }) => api.get<Liabilities>('/liabilities', { signal }),
  })
