import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { api } from '@/lib/api-client'
import { paths } from '@/lib/paths'
import { endSession } from '@/lib/session'

/** Closes the account for good, and forgets here what belonged to it. */
export function useCloseAccount() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (fields: { password: string }) => api.post('/users/close', fields),
    onSuccess: () => {
      endSession({ left: true })
      client.clear()
      sessionStorage.clear()
      void navigate(paths.login)
    },
    meta: { inlineFields: ['password'], inlineCodes: ['ACCOUNT_IN_USE'] },
  })
}
