import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Plan } from '@/lib/api-types'
import { adminKeys } from './keys'
import { useStaffAction } from './use-staff-action'

/** All plans, those that are not offered too. */
export const useAllPlans = () =>
  useQuery({
    queryKey: adminKeys.plans,
    queryFn: ({ signal }) => api.get<{ plans: Plan[] }>('/admin/plans', { signal }),
    select: ({ plans }) => plans,
    meta: { silent: true },
  })

export type Terms = {
  title: string
  subtitle: string
  min: number
  max: number
  roi: number
  duration: number
  active: boolean
  holdings: string
  manager: string
  costs: string
  costPercent: number
  riskClass: number | null
  documentUrl: string
  minHoldingDays: number
  exitFeePercent: number
}

export const termFields = [
  'title', 'subtitle', 'min', 'max', 'roi', 'duration', 'holdings', 'manager', 'costs', 'costPercent', 'riskClass', 'documentUrl',
  'minHoldingDays', 'exitFeePercent',
] as const

/** Proposes a new plan, or other terms for the plan of this id. */
export const useProposePlan = (id?: string) =>
  useStaffAction(
    (terms: Terms, options) =>
      id ? api.put(`/admin/plans/${encodeURIComponent(id)}`, terms, options) : api.post('/admin/plans', terms, options),
    termFields,
  )

export type NewValue = { value: number; at?: string; source: string }

export const useProposeValue = (planId: string) =>
  useStaffAction((value: NewValue, options) => api.post(`/admin/plans/${encodeURIComponent(planId)}/values`, value, options), [
    'value',
    'at',
    'source',
  ])
