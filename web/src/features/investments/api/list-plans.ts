import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Plan, PlanCourse, PlanValue } from '@/lib/api-types'
import { batched } from '@/lib/batch'
import { firstPages } from '@/lib/first-pages'
import { FRESH_MS } from '@/lib/query-client'
import { queryKeys } from '@/lib/query-keys'

const listPlans = async ({ signal }: { signal: AbortSignal }) => {
  const { plans } = await api.get<{ plans: Plan[] }>('/plans', { signal })
  return plans
}

export const plansQuery = queryOptions({ queryKey: queryKeys.plans, queryFn: listPlans, staleTime: FRESH_MS })

export const usePlans = () => useQuery(plansQuery)

/** The published values of a plan, oldest first, each with its source. */
export const usePlanValues = (id: string) =>
  useQuery({
    queryKey: [...queryKeys.plans, 'values', id],
    queryFn: async ({ signal }) => {
      const { values } = await api.get<{ values: PlanValue[] }>(`/plans/${id}/values`, { signal })
      return [...values].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
    },
  })

/** As many plans as one request may name. */
const LARGEST_BATCH = 100

const coursesOf = (points?: number) =>
  batched(LARGEST_BATCH, async (ids) => {
    const { plans } = await api.get<{ plans: PlanCourse[] }>(firstPages.planValues(ids) + (points ? `&points=${points}` : ''))
    const byId = new Map(plans.map(({ id, values }) => [id, values]))
    return ids.map((id) => byId.get(id) ?? [])
  })

const wholeCourse = coursesOf()
/** As many as a small drawing can show. */
const outline = coursesOf(60)

/** All published values of a plan without their sources, oldest first; plans that are asked for together share a request. */
export const planCourseQuery = (id: string) =>
  queryOptions({ queryKey: [...queryKeys.plans, 'course', id], queryFn: () => wholeCourse(id), staleTime: FRESH_MS })

/** The same in outline: the first value, the last, and some between. */
export const planOutlineQuery = (id: string) =>
  queryOptions({ queryKey: [...queryKeys.plans, 'outline', id], queryFn: () => outline(id), staleTime: FRESH_MS })
