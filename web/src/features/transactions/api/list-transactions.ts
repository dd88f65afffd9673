import { useInfiniteQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Transaction } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

type TransactionPage = { transactions: Transaction[]; nextCursor?: string | null }

/** How often to look again while a decision is awaited. */
const PENDING_POLL_MS = 10_000

const fetchPage = (cursor: string | null, signal: AbortSignal) =>
  api.get<TransactionPage>(`/transactions/user${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''}`, { signal })

/** The member's transactions, newest first, a page of up to 500 at a time. */
export function useTransactions() {
  const query = useInfiniteQuery({
    queryKey: queryKeys.transactions,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor ?? null,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.transactions.some(isPending)) ? PENDING_POLL_MS : false,
  })
  return { ...query, transactions: query.data?.pages.flatMap((page) => page.transactions) }
}

const isPending = (transaction: Transaction) => transaction.status === 'pending'
