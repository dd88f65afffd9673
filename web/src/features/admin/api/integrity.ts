import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { toApiError } from '@/lib/api-error'
import { adminKeys } from './keys'
import { useStaffAction } from './use-staff-action'
import type { DeadLetter, Integrity } from './types'

const POLL_MS = 30_000

/** Whether the books are right. */
export const useIntegrity = () =>
  useQuery({
    queryKey: adminKeys.integrity,
    queryFn: ({ signal }) => api.get<Integrity>('/admin/integrity', { signal }),
    refetchInterval: POLL_MS,
    meta: { silent: true },
  })

const fetchDeadLetters = (signal: AbortSignal) =>
  api.get<{ deadLetters: DeadLetter[] }>('/admin/dead-letters', { signal }).then(
    ({ deadLetters }) => deadLetters,
    (error: unknown) => {
      if (toApiError(error).status === 404) return null
      throw error
    },
  )

/** Messages that no consumer could take; `null` where the server does not list them. */
export const useDeadLetters = () =>
  useQuery({
    queryKey: adminKeys.deadLetters,
    queryFn: ({ signal }) => fetchDeadLetters(signal),
    refetchInterval: POLL_MS,
    meta: { silent: true },
  })

export const useReplayDeadLetter = () =>
  useStaffAction((id: string, options) => api.post(`/admin/dead-letters/${encodeURIComponent(id)}/replay`, undefined, options))

/** Proposes to open withdrawals again after an automatic stop; another person confirms. */
export const useReopenWithdrawals = () =>
  useStaffAction((_: null, options) => api.post('/admin/withdrawals/reopen', undefined, options))
