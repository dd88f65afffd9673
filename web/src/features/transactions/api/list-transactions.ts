import { infiniteQueryOptions, useInfiniteQuery, type InfiniteData, type QueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { api } from '@/lib/api-client'
import type { Transaction } from '@/lib/api-types'
import { firstPages } from '@/lib/first-pages'
import { FRESH_MS } from '@/lib/query-client'
import { moneyKeys, queryKeys } from '@/lib/query-keys'

type TransactionPage = { transactions: Transaction[]; nextCursor?: string | null }

/** Polling interval while a decision is pending. */
const PENDING_POLL_MS = 10_000

type Asked = { pageParam: string | null; signal: AbortSignal; client: QueryClient }

async function fetchPage({ pageParam: cursor, signal, client }: Asked) {
  const path = cursor ? `/transactions/user?cursor=${encodeURIComponent(cursor)}` : firstPages.transactions
  const page = await api.get<TransactionPage>(path, { signal })
  if (tellsOfDecision(page, client)) refreshOthers(client)
  return page
}

/** Whether something is decided here that was still pending when it was last looked at. */
function tellsOfDecision({ transactions }: TransactionPage, client: QueryClient) {
  const before = client.getQueryData<InfiniteData<TransactionPage>>(queryKeys.transactions)
  const awaited = new Set(before?.pages.flatMap((page) => page.transactions.filter(isPending).map(({ id }) => id)))
  return transactions.some((transaction) => awaited.has(transaction.id) && !isPending(transaction))
}

/** Refreshes the balance after a decision, which would take minutes without the event stream. */
function refreshOthers(client: QueryClient) {
  for (const queryKey of moneyKeys) if (queryKey !== queryKeys.transactions) void client.invalidateQueries({ queryKey })
}

export const transactionsQuery = infiniteQueryOptions({
  queryKey: queryKeys.transactions,
  queryFn: fetchPage,
  initialPageParam: null as string | null,
  getNextPageParam: (page: TransactionPage) => page.nextCursor ?? null,
  staleTime: FRESH_MS,
})

/** The newest of the member's transactions, at least a short first page. */
export function useNewestTransactions() {
  const query = useInfiniteQuery({
    ...transactionsQuery,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.transactions.some(isPending)) ? PENDING_POLL_MS : false,
  })
  const { data } = query
  const transactions = useMemo(() => data?.pages.flatMap((page) => page.transactions), [data])
  return { ...query, transactions }
}

/** The member's transactions, newest first: soon a short page, then one of up to 500, and more of them when asked. */
export function useTransactions() {
  const query = useNewestTransactions()
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query
  const isShort = hasNextPage && data?.pages.length === 1
  useEffect(() => {
    // Several parts of a screen may ask for it in the same moment.
    if (isShort && !isFetching && !isError) void fetchNextPage({ cancelRefetch: false })
  }, [isShort, isFetching, isError, fetchNextPage])
  return query
}

const isPending = (transaction: Transaction) => transaction.status === 'pending'
