import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { toApiError } from '@/lib/api-error'
import { queryKeys } from '@/lib/query-keys'
import { useRefreshUser } from '@/lib/refresh-user'

type Closing = { password: string; giveUpBonus?: boolean; payout?: { method: string; address: string; memo?: string } }
/** An address that the member has not used before is confirmed on the page of the withdrawal [D-A4]. */
type Closed = { payout?: { id: string; needsConfirmation?: boolean } }

/** Has the account closed in 24 hours, and its balance paid out; until then everything goes on [D-M5]. */
export function useCloseAccount() {
  const client = useQueryClient()
  const refreshUser = useRefreshUser()
  const refresh = () => Promise.all([refreshUser(), client.invalidateQueries({ queryKey: queryKeys.transactions })])
  return useMutation({
    mutationFn: (fields: Closing) => api.post<Closed>('/users/close', fields),
    onSuccess: refresh,
    // The payout may have been requested although the rest failed.
    onError: (error) => void (toApiError(error).isTransient && refresh()),
    meta: { inlineFields: ['password', 'method', 'address', 'memo'], inlineCodes: ['ACCOUNT_IN_USE'] },
  })
}

/** Calls the closing off. */
export const useKeepAccount = () =>
  useMutation({ mutationFn: () => api.delete('/users/close'), onSuccess: useRefreshUser() })
