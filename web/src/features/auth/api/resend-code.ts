import { useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'

export const useResendCode = () =>
  useMutation({ mutationFn: (email: string) => api.post('/auth/resend', { email }, { isPublic: true }) })
