import { usePagedQuery } from '@/lib/paged-query'
import { adminKeys } from './keys'
import type { StaffTransaction } from './types'

export type TransactionFilter = { status?: string; kind?: string; member?: string; search?: string }

type Page = { transactions: StaffTransaction[]; nextCursor?: string | null }

/** Transactions that match, newest first. */
export function useFoundTransactions(filter: TransactionFilter, { enabled = true } = {}) {
  const key = adminKeys.transactions(filter)
  const { pages, ...query } = usePagedQuery<Page>(key, '/admin/transactions', { params: filter, enabled, silent: true })
  return { ...query, transactions: pages?.flatMap((page) => page.transactions) }
}
