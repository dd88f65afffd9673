import { useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { verificationOf } from './verification'

export const useVerifyEmail = () =>
  useMutation({
    mutationFn: (payload: { email: string; otp: string }) =>
      api.post<{ resetToken?: string }>('/auth/verify', { ...payload, ...verificationOf(payload.email) }, { isPublic: true }),
    meta: { inlineFields: ['otp'] },
  })
