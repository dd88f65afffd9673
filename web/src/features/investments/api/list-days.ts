import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { DayBalances, Trade } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

/** A day that has ended does not change. */
const STALE_MS = 600_000

/** What the member had at the end of each of the last 30 days, oldest first. */
export const useDailyBalances = () =>
  useQuery({
    queryKey: ['daily-balances'],
    queryFn: async ({ signal }) => (await api.get<{ days: DayBalances[] }>('/wallet/days', { signal })).days,
    staleTime: STALE_MS,
    meta: { silent: true },
  })

/** Open and ended trades, for what they were worth on those days. */
export const useTradesOfDays = () =>
  useQuery({
    queryKey: [...queryKeys.trades, 'all'],
    queryFn: async ({ signal }) => (await api.get<{ trades: Trade[] }>('/trades?status=all', { signal })).trades,
    meta: { silent: true },
  })
