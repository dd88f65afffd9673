import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { User } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'
import { startSession } from '@/lib/session'
import { keepVerification } from './verification'

export type Credentials = { email: string; password: string; totp?: string }

export const useLogIn = () => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (credentials: Credentials) =>
      api.post<{ user: User; token: string; verification?: string }>('/auth/login', credentials, { isPublic: true }),
    onSuccess: (answer) => {
      client.clear()
      client.setQueryData(queryKeys.session, answer)
      startSession(answer.user, answer.token)
      keepVerification(answer.user.email, answer.verification)
    },
    meta: { inlineFields: ['email', 'password', 'totp'] },
  })
}
