import { queryOptions, useQuery } from '@tanstack/react-query'
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

export const useTrades = () => useQuery(tradesQuery)

const listAllTrades = async ({ signal }: { signal: AbortSignal }) => {
  const { trades } = await api.get<{ trades: Trade[] }>('/trades?status=all', { signal })
  return trades
}

/** Open and ended trades, newest first. */
export const useTradeHistory = () => useQuery({ queryKey: [...queryKeys.trades, 'all'], queryFn: listAllTrades })
