import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { adminKeys } from './keys'
import type { Integrity } from './types'

const POLL_MS = 30_000

/** Whether the books are right. */
export const useIntegrity = () =>
  useQuery({
    queryKey: adminKeys.integrity,
    queryFn: ({ signal }) => api.get<Integrity>('/admin/integrity', { signal }),
    refetchInterval: POLL_MS,
    meta: { silent: true },
  })
