import { api } from '@/lib/api-client'
import { useStaffAction } from './use-staff-action'

/** Dollars for a whole unit, as typed: no float comes in between. */
export type NewRate = { asset: string; bid: string; ask: string; source: string; validMinutes: number }

export const rateFields = ['asset', 'bid', 'ask', 'source', 'validMinutes'] as const

/** Proposes a rate, which counts once another treasurer has confirmed it [D-Q2]. */
export const useProposeRate = () =>
  useStaffAction((rate: NewRate, options) => api.post('/admin/rates', rate, options), rateFields)
