/** Limits, fee and prices as the wallet enforces them: the one place from which screens take such numbers [D-B11]. */
import { useQuery } from '@tanstack/react-query'
import { api } from './api-client'
import type { Terms } from './api-types'
import { queryKeys } from './query-keys'

/** What holds for everybody, and to a member what is left of their limits. */
export const useTerms = () =>
  useQuery({
    queryKey: queryKeys.terms,
    queryFn: ({ signal }) => api.get<Terms>('/terms', { signal, isPublic: true }),
    staleTime: 60_000,
    meta: { silent: true },
  })
