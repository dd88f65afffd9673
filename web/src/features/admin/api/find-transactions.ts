import { useInfiniteQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { adminKeys } from './keys'
import type { StaffTransaction } from './types'

export type TransactionFilter = { status?: string; kind?: string; member?: string; search?: string }

type Page = { transactions: StaffTransaction[]; nextCursor?: string | null }

function fetchPage(filter: TransactionFilter, cursor: string | null, signal: AbortSignal) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) if (value) query.set(name, value)
  if (cursor) query.set('cursor', cursor)
  return api.get<Page>(`/admin/transactions?${query}`, { signal })
}

/** Transactions that match, newest first. */
export function useFoundTransactions(filter: TransactionFilter, { enabled = true } = {}) {
  const query = useInfiniteQuery({
    queryKey: adminKeys.transactions(filter),
    queryFn: ({ pageParam, signal }) => fetchPage(filter, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor ?? null,
    enabled,
    meta: { silent: true },
  })
  return { ...query, transactions: query.data?.pages.flatMap((page) => page.transactions) }
}
