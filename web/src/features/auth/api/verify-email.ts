import { useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'

export const useVerifyEmail = () =>
  useMutation({
    mutationFn: (payload: { email: string; otp: string }) => api.post('/auth/verify', payload, { isPublic: true }),
    meta: { inlineFields: ['otp'] },
  })
