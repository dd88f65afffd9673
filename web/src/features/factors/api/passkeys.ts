import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Passkey } from '@/lib/api-types'
import { loadChunk } from '@/lib/load-chunk'
import { queryKeys } from '@/lib/query-keys'
import type { PasskeyOptions } from '@/lib/webauthn'

export const usePasskeys = () =>
  useQuery({
    queryKey: queryKeys.passkeys,
    queryFn: async ({ signal }) => (await api.get<{ passkeys: Passkey[] }>('/users/passkeys', { signal })).passkeys,
    meta: { silent: true },
  })

function useRefresh() {
  const client = useQueryClient()
  return () =>
    Promise.all([queryKeys.passkeys, queryKeys.totp].map((queryKey) => client.invalidateQueries({ queryKey })))
}

export type NewPasskey = { name: string; password?: string }

/** Has the browser make a passkey; answers recovery codes where there were none, which are shown once. */
export const useAddPasskey = () =>
  useMutation({
    mutationFn: async ({ name, password }: NewPasskey) => {
      const { options } = await api.post<{ options: PasskeyOptions }>('/users/passkeys/begin', { password })
      const { createPasskey } = await loadChunk(() => import('@/lib/webauthn'))
      const credential = await createPasskey(options)
      return api.post<{ recoveryCodes: string[] }>('/users/passkeys/finish', { credential, ...(name ? { name } : {}) })
    },
    onSuccess: useRefresh(),
    // The form shows what the browser refuses.
    meta: { silent: true },
  })

export const useRemovePasskey = () =>
  useMutation({ mutationFn: (id: string) => api.delete(`/users/passkeys/${id}`), onSuccess: useRefresh() })
