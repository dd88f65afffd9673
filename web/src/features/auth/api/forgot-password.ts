import { useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'

function toForm(fields: Record<string, string>) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

/** Sent as form data, as the contract has it. */
export const useForgotPassword = () =>
  useMutation({
    mutationFn: (email: string) => api.post('/auth/forgot-password', toForm({ email }), { isPublic: true }),
    meta: { inlineFields: ['email'] },
  })

export type PasswordReset = { password: string; confirmPassword: string; token: string }

export const useResetPassword = () =>
  useMutation({
    mutationFn: (reset: PasswordReset) => api.post('/auth/reset-password', toForm(reset), { isPublic: true }),
    meta: { inlineFields: ['password', 'confirmPassword'] },
  })
