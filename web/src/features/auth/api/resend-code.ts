import { useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { keepVerification, verificationOf } from './verification'

export const useResendCode = () =>
  useMutation({
    mutationFn: (email: string) =>
      api.post<{ verification?: string }>('/auth/resend', { email, ...verificationOf(email) }, { isPublic: true }),
    onSuccess: ({ verification }, email) => keepVerification(email, verification),
  })
