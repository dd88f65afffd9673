import { useQuery } from '@tanstack/react-query'
import { adminKeys } from '@/features/admin/api/keys'
import type { Figures } from '@/features/admin/api/types'
import { api } from '@/lib/api-client'

/** The figures of the last days, today included. */
export const useFigures = (days: string) =>
  useQuery({
    queryKey: adminKeys.figures(days),
    queryFn: ({ signal }) => api.get<Figures>(`/admin/figures?days=${days}`, { signal }),
    staleTime: 60_000,
    meta: { silent: true },
  })
