import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { DayBalances } from '@/lib/api-types'
import { allTradesQuery } from './list-trades'

/** A day that has ended does not change. */
const STALE_MS = 600_000

/** What the member had at the end of each of the last 30 days, oldest first. */
export const daysQuery = queryOptions({
  queryKey: ['daily-balances'],
  queryFn: async ({ signal }) => (await api.get<{ days: DayBalances[] }>('/wallet/days', { signal })).days,
  staleTime: STALE_MS,
  meta: { silent: true },
})

/** Open and ended trades, for what they were worth on those days. */
export const useTradesOfDays = () => useQuery({ ...allTradesQuery, meta: { silent: true } })
