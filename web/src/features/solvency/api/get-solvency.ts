import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Solvency } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

/** What is owed and held, as it was counted last; needs no session. */
export const useSolvency = () =>
  useQuery({
    queryKey: queryKeys.solvency,
    queryFn: ({ signal }) => api.get<Solvency>('/solvency', { signal }),
  })
