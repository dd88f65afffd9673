import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { adminKeys } from './keys'
import type { AuditRow } from './types'

export const trails = ['wallet', 'auth', 'trade', 'payment-method'] as const

export type Trail = (typeof trails)[number]

type Page = { rows: AuditRow[]; nextCursor?: string | null }

function fetchPage(service: Trail, cursor: string | null, signal?: AbortSignal) {
  const query = new URLSearchParams({ service, ...(cursor ? { cursor } : {}) })
  return api.get<Page>(`/admin/audit?${query}`, { signal })
}

/** One service's trail, newest first. */
export function useAuditTrail(service: Trail) {
  const query = useInfiniteQuery({
    queryKey: adminKeys.audit(service),
    queryFn: ({ pageParam, signal }) => fetchPage(service, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor ?? null,
    meta: { silent: true },
  })
  return { ...query, rows: query.data?.pages.flatMap((page) => page.rows) }
}

/** The trail as a CSV file. */
export const useAuditCsv = () =>
  useMutation({
    mutationFn: async (service: Trail) => {
      const { http } = await import('@/lib/http')
      const query = new URLSearchParams({ service, format: 'csv' })
      const { data } = await http.get<Blob>(`/admin/audit?${query}`, { responseType: 'blob' })
      return data
    },
    meta: { fallbackMessage: 'The file could not be made' },
  })
