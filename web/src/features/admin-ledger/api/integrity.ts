import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { adminKeys } from '@/features/admin/api/keys'
import { useStaffAction } from '@/features/admin/api/use-staff-action'
import type { DeadLetter } from '@/features/admin/api/types'

const POLL_MS = 30_000

/** Messages that no consumer could take. */
export const useDeadLetters = () =>
  useQuery({
    queryKey: adminKeys.deadLetters,
    queryFn: ({ signal }) => api.get<{ deadLetters: DeadLetter[] }>('/admin/dead-letters', { signal }),
    select: ({ deadLetters }) => deadLetters,
    refetchInterval: POLL_MS,
    meta: { silent: true },
  })

export const useReplayDeadLetter = () =>
  useStaffAction((id: string, options) => api.post(`/admin/dead-letters/${encodeURIComponent(id)}/replay`, undefined, options))

/** Proposes to open withdrawals again after an automatic stop; another person confirms. */
export const useReopenWithdrawals = () =>
  useStaffAction((_: null, options) => api.post('/admin/withdrawals/reopen', undefined, options))

/** Proposes to compute what an account stores from its entries again; another treasurer confirms. */
export const useRebuildAccount = (accountId: string) =>
  useStaffAction((body: { note: string }, options) =>
    api.post(`/admin/ledger/accounts/${encodeURIComponent(accountId)}/rebuild`, body, options),
  )
