import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Liabilities } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

/** The newest publication; needs no session. */
export const useLiabilities = () =>
  useQuery({
    queryKey: queryKeys.liabilities,
    queryFn: ({ signal }) => api.get<Liabilities>('/liabilities', { signal }),
  })
