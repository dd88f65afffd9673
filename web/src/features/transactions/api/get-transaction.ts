import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { toApiError } from '@/lib/api-error'
import type { Transaction } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'
import { useNewestTransactions } from './list-transactions'

const fetchOne = (id: string, signal: AbortSignal) =>
  api.get<{ transaction: Transaction }>(`/transactions/${encodeURIComponent(id)}`, { signal })

/** Looks in the loaded list, then requests the transaction by id [D-L2]. */
export function useTransaction(id: string) {
  const list = useNewestTransactions()
  const listed = list.transactions?.find((transaction) => transaction.id === id)
  const single = useQuery({
    queryKey: queryKeys.transaction(id),
    queryFn: ({ signal }) => fetchOne(id, signal),
    enabled: !list.isPending && !listed,
    meta: { silent: true },
  })
  const status = toApiError(single.error).status
  return {
    transaction: listed ?? single.data?.transaction,
    isPending: list.isPending || (!listed && single.isPending),
    isMissing: !listed && single.isError && (status === 404 || status === 400 || status === 422),
    error: single.error,
    retry: () => void single.refetch(),
  }
}
