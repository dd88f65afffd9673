import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { User } from '@/lib/api-types'
import { offerDeviceKey } from '@/lib/device-key'
import { queryKeys } from '@/lib/query-keys'
import { startSession } from '@/lib/session'
import { keepVerification } from './verification'

export type Registration = { name: string; email: string; password: string; phone: string; country: string }

export const registrationFields = ['name', 'email', 'phone', 'country', 'password'] as const

export const useRegister = () => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (registration: Registration) =>
      api.post<{ user: User; token: string; verification?: string }>(
        '/auth/register',
        { ...registration, deviceKey: await offerDeviceKey() },
        { isPublic: true },
      ),
    onSuccess: (answer) => {
      client.clear()
      client.setQueryData(queryKeys.session, answer)
      startSession(answer.user, answer.token)
      keepVerification(answer.user.email, answer.verification)
    },
    meta: { inlineFields: registrationFields },
  })
}
