import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { User } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'
import { startSession } from '@/lib/session'

export type Credentials = { email: string; password: string; totp?: string }

export const useLogIn = () => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (credentials: Credentials) =>
      api.post<{ user: User; token: string }>('/auth/login', credentials, { isPublic: true }),
    onSuccess: (answer) => {
      client.clear()
      client.setQueryData(queryKeys.session, answer)
      startSession(answer.user, answer.token)
    },
    meta: { inlineFields: ['email', 'password', 'totp'] },
  })
}
