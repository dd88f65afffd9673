import { usePagedQuery } from '@/lib/paged-query'
import { adminKeys } from '@/features/admin/api/keys'
import type { AuditRow } from '@/features/admin/api/types'

/** One time line over all services, or the log of one. */
export const trails = [
  { value: 'all', label: 'Everything' },
  { value: 'wallet', label: 'Money' },
  { value: 'auth', label: 'Accounts' },
  { value: 'trade', label: 'Plans' },
  { value: 'course', label: 'Course' },
  { value: 'cases', label: 'Cases' },
  { value: 'payment-method', label: 'Methods' },
  { value: 'mailer', label: 'Mail' },
] as const

export type Trail = (typeof trails)[number]['value']

/** `action` is an action or its beginning, `actor` and `member` are ids; days are UTC and inclusive; what is empty does not filter. */
export type AuditFilter = { service: Trail; action: string; actor: string; member: string; from: string; to: string }

/** `missing` are the services that did not answer. */
type Page = { rows: AuditRow[]; nextCursor?: string | null; missing?: string[] }

/** Matching rows, newest first, and the services whose rows are not among them. */
export function useAuditTrail(filter: AuditFilter) {
  const { pages, ...query } = usePagedQuery<Page>(adminKeys.audit(filter), '/admin/audit', { params: filter, silent: true })
  return { ...query, rows: pages?.flatMap((page) => page.rows), missing: pages?.at(-1)?.missing ?? [] }
}
