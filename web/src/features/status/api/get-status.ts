import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Status } from '@/lib/api-types'
import { paths } from '@/lib/paths'

const POLL_MS = 30_000

/** What works now; the page says itself when that cannot be loaded. */
export const useStatus = () =>
  useQuery({
    queryKey: [paths.status],
    queryFn: ({ signal }) => api.get<Status>('/status', { signal, isPublic: true }),
    refetchInterval: POLL_MS,
    meta: { silent: true },
  })
