/** What pages show is asked for while the session is still being checked, instead of after it. */
import type { QueryClient } from '@tanstack/react-query'
import { planOutlineQuery, plansQuery } from '@/features/investments/api/list-plans'
import { tradesQuery } from '@/features/investments/api/list-trades'
import { transactionsQuery } from '@/features/transactions/api/list-transactions'
import { paths } from '@/lib/paths'

const quietly = { retry: false, meta: { silent: true } }

const askPlans = async (client: QueryClient) => {
  const plans = await client.fetchQuery({ ...plansQuery, ...quietly })
  // Together, so that they share a request.
  await Promise.all(plans.map(({ id }) => client.prefetchQuery({ ...planOutlineQuery(id), ...quietly })))
}
const askTrades = (client: QueryClient) => client.fetchQuery({ ...tradesQuery, ...quietly })
const askTransactions = (client: QueryClient) => client.fetchInfiniteQuery({ ...transactionsQuery, ...quietly })

const shownAt: Record<string, ((client: QueryClient) => Promise<unknown>)[]> = {
  [paths.dashboard]: [askTrades, askTransactions],
  [paths.transactions]: [askTransactions],
  [paths.investments]: [askTrades],
  [paths.plans]: [askPlans],
}

/** The page asks again for what failed here, and tells why. */
export function askEarly(client: QueryClient, pathname: string) {
  for (const ask of shownAt[pathname.replace(/(?<=.)\/$/, '')] ?? []) ask(client).catch(() => undefined)
}
