import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { adminKeys } from './keys'
import { withStepUp } from './step-up'

export type Me = {
  user: { id: string; name: string; email: string; role: string }
  totp: { required: boolean; enrolled: boolean; recoveryCodesLeft: number }
  stepUpUntil: string | null
  /** New staff: from when on they may decide. */
  decidesFrom?: string | null
  permissions: string[]
}

/** Who the caller is to the back office, and how their second factor stands. */
export const useMe = () =>
  useQuery({
    queryKey: adminKeys.me,
    queryFn: ({ signal }) => api.get<Me>('/admin/me', { signal }),
    staleTime: 60_000,
    meta: { silent: true },
  })

/** Begins the enrolment of an authenticator; to replace one takes a code of it. */
export const useBeginTotp = () =>
  useMutation({
    mutationFn: () => withStepUp(() => api.post<{ secret: string; uri: string }>('/admin/me/totp')),
    meta: { silent: true },
  })

/** Ends it with the first code; answers the recovery codes, which are shown once. */
export function useConfirmTotp() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (code: string) => api.post<{ recoveryCodes: string[] }>('/admin/me/totp/confirm', { code }),
    onSuccess: () => client.invalidateQueries({ queryKey: adminKeys.me }),
    meta: { inlineFields: ['code'] },
  })
}
