import { usePagedQuery } from '@/lib/paged-query'
import { adminKeys } from './keys'
import type { StaffTransaction } from './types'

export type TransactionFilter = { status?: string; kind?: string; member?: string; search?: string }

type Page = { transactions: StaffTransaction[]; nextCursor?: string | null; asOf?: string | null }

/** Transactions that match, newest first, and of when the oldest page is if it is not of now. */
export function useFoundTransactions(filter: TransactionFilter, { enabled = true } = {}) {
  const key = adminKeys.transactions(filter)
  const { pages, ...query } = usePagedQuery<Page>(key, '/admin/transactions', { params: filter, enabled, silent: true })
  const asOf = pages?.flatMap((page) => page.asOf ?? []).sort()[0]
  return { ...query, transactions: pages?.flatMap((page) => page.transactions), asOf }
}
