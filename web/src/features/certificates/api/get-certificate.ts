import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { components } from '@/lib/api-schema'

export type Certificate = components['schemas']['Certificate']

/** A certificate by its number; needs no session [D-C8]. */
export const useCertificate = (number: string) =>
  useQuery({
    queryKey: ['certificate', number],
    queryFn: async ({ signal }) =>
      (await api.get<{ certificate: Certificate }>(`/certificates/${encodeURIComponent(number)}`, { signal })).certificate,
    meta: { silent: true },
  })
