import { useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { useRefreshUser } from '@/lib/refresh-user'

/** Has the account closed in 24 hours; until then everything goes on [D-M5]. */
export const useCloseAccount = () =>
  useMutation({
    mutationFn: (fields: { password: string; giveUpBonus?: boolean }) => api.post('/users/close', fields),
    onSuccess: useRefreshUser(),
    meta: { inlineFields: ['password'], inlineCodes: ['ACCOUNT_IN_USE'] },
  })

/** Calls the closing off. */
export const useKeepAccount = () =>
  useMutation({ mutationFn: () => api.delete('/users/close'), onSuccess: useRefreshUser() })
