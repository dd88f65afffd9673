import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { PlanPage } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

/** What stands behind a plan: its own cash, and what it holds at the last proven value. */
export type Backing = {
  cash: number
  assets: number
  items: readonly { description: string; amount: number; provenAt: string; proof: string; source: string }[]
}

export type PlanAnswer = PlanPage & { backing?: Backing | null }

/** A plan with what its past says; also one that is no longer offered. */
export const usePlanPage = (id: string) =>
  useQuery({
    queryKey: [...queryKeys.plans, 'page', id],
    queryFn: ({ signal }) => api.get<PlanAnswer>(`/plans/${encodeURIComponent(id)}`, { signal }),
    enabled: id !== '',
    meta: { silent: true },
  })
