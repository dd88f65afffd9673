import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Quote, QuoteTerms } from '@/lib/api-types'
import { randomId } from '@/lib/id'
import { toDollars } from '@/lib/money'
import { queryKeys } from '@/lib/query-keys'
import { useSettled } from '../use-settled'

/** How long an amount has to stay as it is before it is quoted. */
const PAUSE_MS = 500

/** Which methods can be quoted now. */
export const useQuoteTerms = () =>
  useQuery({
    queryKey: queryKeys.quoteTerms,
    queryFn: ({ signal }) => api.get<QuoteTerms>('/quotes/terms', { signal }),
    staleTime: 30_000,
    meta: { silent: true },
  })

type Wanted = {
  direction: Quote['direction']
  /** `null` where the amount is missing, or would be refused. */
  amountCents: number | null
  method: string
}

/** A quote by this browser's clock, which need not agree with the server's. */
export type HeldQuote = Quote & {
  /** Until when it holds, in milliseconds. */
  until: number
  renew: () => void
  isRenewing: boolean
}

/** The quote for an amount and method; undefined while there is none: then payments are valued on arrival. */
export function useQuote({ direction, amountCents, method }: Wanted): HeldQuote | undefined {
  const settled = useSettled(amountCents, PAUSE_MS)
  const assets = useQuoteTerms().data?.assets
  const isQuoted = assets?.some(({ available, methodIds }) => available && methodIds.includes(method)) ?? false
  const query = useQuery({
    queryKey: queryKeys.quote(direction, settled ?? 0, method),
    queryFn: async ({ signal }) => {
      const request = { direction, amount: toDollars(settled ?? 0), method }
      const { quote } = await api.post<{ quote: Quote }>('/quotes', request, { idempotencyKey: randomId(), signal })
      return quote
    },
    enabled: isQuoted && settled !== null,
    // What is still open is shown again when the member comes back.
    staleTime: ({ state }) => (state.data ? lifeOf(state.data) : 0),
    gcTime: 15 * 60_000,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    meta: { silent: true },
  })
  if (!query.data || settled !== amountCents) return undefined
  return {
    ...query.data,
    until: query.dataUpdatedAt + lifeOf(query.data),
    renew: () => void query.refetch(),
    isRenewing: query.isFetching,
  }
}

/** The id of a quote that can still be used. */
export const openId = (quote: HeldQuote | undefined) => (quote && Date.now() < quote.until ? quote.id : undefined)

const lifeOf = ({ at, expiresAt }: Quote) => Date.parse(expiresAt) - Date.parse(at)
