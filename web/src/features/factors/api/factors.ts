import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Totp } from '@/lib/api-types'
import { loadChunk } from '@/lib/load-chunk'
import { queryClient } from '@/lib/query-client'
import { queryKeys } from '@/lib/query-keys'
import type { PasskeyOptions } from '@/lib/webauthn'

/** An authenticator that is not confirmed yet. */
export type NewTotp = { secret: string; uri: string }

const loadTotp = async ({ signal }: { signal: AbortSignal }) =>
  (await api.get<{ totp: Totp }>('/users/totp', { signal })).totp

/** State of the caller's second factor. */
export const useTotp = () => useQuery({ queryKey: queryKeys.totp, queryFn: loadTotp, meta: { silent: true } })

export function useRefreshTotp() {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: queryKeys.totp })
}

/** Begins to set up an authenticator: by the password, or by the one in force. */
export const useBeginTotp = () =>
  useMutation({
    mutationFn: (proof: { password?: string }) => api.post<NewTotp>('/users/totp', proof),
    meta: { inlineFields: ['password'] },
  })

/** Confirms the first code and returns the recovery codes, which are shown once. */
export const useConfirmTotp = () =>
  useMutation({
    mutationFn: (code: string) => api.post<{ recoveryCodes: string[] }>('/users/totp/confirm', { code }),
    onSuccess: useRefreshTotp(),
    meta: { inlineFields: ['code'] },
  })

export const useReplaceRecoveryCodes = () =>
  useMutation({
    mutationFn: () => api.post<{ recoveryCodes: string[] }>('/users/totp/recovery-codes', {}),
    onSuccess: useRefreshTotp(),
  })

export const useRemoveTotp = () =>
  useMutation({ mutationFn: () => api.delete('/users/totp'), onSuccess: useRefreshTotp() })

/** Gives a code of the authenticator, or a recovery code, for the next five minutes. */
export const stepUp = (totp: string) => api.post<{ until: string }>('/auth/step-up', { totp })

/** The same by a passkey, which signs the decision with this digest, if there is one. */
export async function stepUpByPasskey(digest?: string) {
  const { options } = await api.post<{ options: PasskeyOptions }>('/auth/step-up/passkey', { digest })
  const { signByPasskey } = await loadChunk(() => import('@/lib/webauthn'))
  return api.post<{ until: string }>('/auth/step-up', { passkey: await signByPasskey(options) })
}

/** The caller's second factors, as they were last seen. */
export const knownFactors = () =>
  queryClient.fetchQuery({ queryKey: queryKeys.totp, queryFn: loadTotp, staleTime: 60_000, retry: false, meta: { silent: true } })
