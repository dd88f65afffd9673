import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { toDollars } from '@/lib/money'
import { queryKeys } from '@/lib/query-keys'

/** After a trade changed: the user again, and the trades and transactions lists [INV-07]. */
function useRefreshAfterTrade() {
  const client = useQueryClient()
  return () =>
    Promise.all(
      [queryKeys.session, queryKeys.trades, queryKeys.transactions].map((queryKey) => client.invalidateQueries({ queryKey })),
    )
}

export type TradeRequest = { planId: string; amountCents: number }

export const useCreateTrade = () =>
  useMutation({
    mutationFn: ({ request: { planId, amountCents }, idempotencyKey }: { request: TradeRequest; idempotencyKey: string }) =>
      api.post('/trades/create', { planId, amount: toDollars(amountCents) }, { idempotencyKey }),
    onSuccess: useRefreshAfterTrade(),
    meta: { inlineFields: ['amount'] },
  })

type TradeEnd = { id: string; idempotencyKey: string }

export const useClaimTrade = () =>
  useMutation({
    mutationFn: ({ id, idempotencyKey }: TradeEnd) => api.put(`/trades/claim/${id}`, undefined, { idempotencyKey }),
    onSettled: useRefreshAfterTrade(),
  })

export const useCloseTrade = () =>
  useMutation({
    mutationFn: ({ id, idempotencyKey }: TradeEnd) => api.delete(`/trades/close/${id}`, { idempotencyKey }),
    onSettled: useRefreshAfterTrade(),
  })
