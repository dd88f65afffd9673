import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { User } from '@/lib/api-types'
import { offerDeviceKey } from '@/lib/device-key'
import { queryKeys } from '@/lib/query-keys'
import { startSession } from '@/lib/session'
import { keepVerification } from './verification'

export type Credentials = { email: string; password: string; totp?: string }

export type LoginAnswer = { user: User; token: string; verification?: string }

/** Begins the session that a login answered. */
export function useBeginSession() {
  const client = useQueryClient()
  return (answer: LoginAnswer) => {
    client.clear()
    client.setQueryData(queryKeys.session, answer)
    startSession(answer.user, answer.token)
    keepVerification(answer.user.email, answer.verification)
  }
}

export const useLogIn = () =>
  useMutation({
    mutationFn: async (credentials: Credentials) =>
      api.post<LoginAnswer>('/auth/login', { ...credentials, deviceKey: await offerDeviceKey() }, { isPublic: true }),
    onSuccess: useBeginSession(),
    meta: { inlineFields: ['email', 'password', 'totp'], inlineCodes: ['PASSKEY_REQUIRED'] },
  })
