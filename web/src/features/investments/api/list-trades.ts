import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Trade } from '@/lib/api-types'
import { FRESH_MS } from '@/lib/query-client'
import { queryKeys } from '@/lib/query-keys'

const listTrades = async ({ signal }: { signal: AbortSignal }) => {
  const { trades } = await api.get<{ trades: Trade[] }>('/trades', { signal })
  return trades
}

/** The member's open trades with their present value. */
export const tradesQuery = queryOptions({ queryKey: queryKeys.trades, queryFn: listTrades, staleTime: FRESH_MS })

const listAllTrades = async ({ signal }: { signal: AbortSignal }) => {
  const { trades } = await api.get<{ trades: Trade[] }>('/trades?status=all', { signal })
  return trades
}

/** Open and ended trades, newest first. */
export const allTradesQuery = queryOptions({ queryKey: [...queryKeys.trades, 'all'], queryFn: listAllTrades, staleTime: FRESH_MS })

export const useTradeHistory = () => useQuery(allTradesQuery)

const openOf = (trades: Trade[]) => trades.filter(({ status }) => status === 'open' || status === 'settling')

/** The open trades, for a page that needs all of them anyway. */
export const useOpenTradesOfAll = () => useQuery({ ...allTradesQuery, select: openOf })

/** The open trades; at once, where all of them were just seen. */
export function useTrades() {
  const client = useQueryClient()
  return useQuery({
    ...tradesQuery,
    initialData: () => openOfKnown(client.getQueryData(allTradesQuery.queryKey)),
    initialDataUpdatedAt: () => client.getQueryState(allTradesQuery.queryKey)?.dataUpdatedAt,
  })
}

const openOfKnown = (trades: Trade[] | undefined) => trades && openOf(trades)
