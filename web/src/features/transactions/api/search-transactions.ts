import { useInfiniteQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Transaction } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'
import { isSearch, type Search } from '../filter'

type Page = { transactions: Transaction[]; nextCursor?: string | null }

/** The start of a day in the time zone of the screen, or of the day after it. */
function startOf(day: string, after = 0) {
  const at = new Date(`${day}T00:00`)
  at.setDate(at.getDate() + after)
  return at.toISOString()
}

/** The member's transactions that are looked for, newest first; nothing while nothing is looked for. */
export function useSearchTransactions(search: Search) {
  const query = useInfiniteQuery({
    queryKey: queryKeys.transactionSearch(search),
    queryFn: ({ pageParam, signal }) => {
      const asked = {
        q: search.q,
        from: search.from && startOf(search.from),
        to: search.to && startOf(search.to, 1),
        cursor: pageParam,
      }
      const given = new URLSearchParams(Object.entries(asked).filter(([, value]) => value))
      return api.get<Page>(`/transactions/user?${given.toString()}`, { signal })
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    enabled: isSearch(search),
    meta: { silent: true },
  })
  return { ...query, transactions: query.data?.pages.flatMap((page) => page.transactions) }
}
