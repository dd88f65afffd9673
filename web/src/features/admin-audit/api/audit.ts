import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { saveFile } from '@/lib/files'
import { adminKeys } from '@/features/admin/api/keys'
import type { AuditRow } from '@/features/admin/api/types'

export const trails = ['wallet', 'auth', 'trade', 'payment-method', 'mailer'] as const

export type Trail = (typeof trails)[number]

/** `action` is an action or its beginning, `actor` an id; days are UTC and inclusive; what is empty does not filter. */
export type AuditFilter = { service: Trail; action: string; actor: string; from: string; to: string }

type Page = { rows: AuditRow[]; nextCursor?: string | null }

function url(filter: AuditFilter, more: { cursor?: string | null; format?: 'csv' }) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...filter, ...more })) if (value) query.set(name, value)
  return `/admin/audit?${query}`
}

/** What of one service's trail matches, newest first. */
export function useAuditTrail(filter: AuditFilter) {
  const query = useInfiniteQuery({
    queryKey: adminKeys.audit(filter),
    queryFn: ({ pageParam, signal }) => api.get<Page>(url(filter, { cursor: pageParam }), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor ?? null,
    meta: { silent: true },
  })
  return { ...query, rows: query.data?.pages.flatMap((page) => page.rows) }
}

/** All that matches, as a file. */
export const useAuditCsv = () =>
  useMutation({
    mutationFn: async (filter: AuditFilter) => {
      const file = await api.file(url(filter, { format: 'csv' }))
      saveFile(file, `solvane-audit-${filter.service}.csv`)
    },
    meta: { fallbackMessage: 'The file could not be made' },
  })
