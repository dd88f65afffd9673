import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { PlanPage } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

/** A plan with what its past says; also one that is no longer offered. */
export const usePlanPage = (id: string) =>
  useQuery({
    queryKey: [...queryKeys.plans, 'page', id],
    queryFn: ({ signal }) => api.get<PlanPage>(`/plans/${encodeURIComponent(id)}`, { signal }),
    enabled: id !== '',
    meta: { silent: true },
  })
