import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Plan, PlanValue } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

const listPlans = async ({ signal }: { signal: AbortSignal }) => {
  const { plans } = await api.get<{ plans: Plan[] }>('/plans', { signal })
  return plans
}

export const usePlans = () => useQuery({ queryKey: queryKeys.plans, queryFn: listPlans })

/** The published values of a plan, oldest first, each with its source. */
export const planValuesQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.planValues(id),
    queryFn: async ({ signal }) => {
      const { values } = await api.get<{ values: PlanValue[] }>(`/plans/${id}/values`, { signal })
      return [...values].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
    },
  })

export const usePlanValues = (id: string) => useQuery(planValuesQuery(id))
