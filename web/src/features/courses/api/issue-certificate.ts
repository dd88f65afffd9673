import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'
import type { Course } from './course'

/** Issues the certificate, or finds the one that was issued [D-C8]. */
export function useIssueCertificate() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async () => (await api.put<{ certificate: NonNullable<Course['certificate']> }>('/courses/certificate')).certificate,
    onSuccess: (certificate) => client.setQueryData<Course>(queryKeys.course, (course) => course && { ...course, certificate }),
    // A refusal means that the screen was out of date.
    onError: () => client.invalidateQueries({ queryKey: queryKeys.course }),
  })
}
