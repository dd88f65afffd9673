import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'

export type ProfileFields = {
  name: string
  email: string
  phone: string
  country: string
  /** For another email alone [D-A1]. */
  currentPassword?: string
}

export const profileFieldNames = ['name', 'email', 'phone', 'country', 'currentPassword'] as const

const fallbackMessage = 'An error occurred'

function useRefreshUser() {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: queryKeys.session })
}

export const useUpdateProfile = (userId: string) =>
  useMutation({
    mutationFn: (fields: ProfileFields) => api.put(`/users/profile/${userId}`, fields),
    onSuccess: useRefreshUser(),
    meta: { fallbackMessage, inlineFields: profileFieldNames },
  })

export const useUpdateImage = (userId: string) =>
  useMutation({
    mutationFn: (image: string) => api.put(`/users/image/${userId}`, { image }),
    onSuccess: useRefreshUser(),
    meta: { fallbackMessage },
  })

export const passwordFieldNames = ['oldPassword', 'newPassword'] as const

export const useChangePassword = (userId: string) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (passwords: { oldPassword: string; newPassword: string }) =>
      api.put(`/users/password/${userId}`, passwords),
    // The server ended the other sessions.
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.deviceSessions }),
    meta: { fallbackMessage, inlineFields: passwordFieldNames },
  })
}
