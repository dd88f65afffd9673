import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { toApiError } from '@/lib/api-error'
import { toDollars } from '@/lib/money'
import { queryKeys } from '@/lib/query-keys'
import { forgetQuotes } from './forget-quotes'

export type WithdrawalRequest = {
  amountCents: number
  method: string
  address: string
  memo?: string
  /** An open quote for this amount and method; without one it is valued at the payout [D-Q1]. */
  quoteId?: string
}

/** An address that the member has not used before is confirmed on the page of the transaction [D-A4]. */
type Requested = { transaction?: { id: string; needsConfirmation?: boolean } }

type Submission = { request: WithdrawalRequest; idempotencyKey: string }

/** The amount is gross: it is held at once, and the fee comes out of the payout [D-W2]. */
export function useRequestWithdrawal() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ request: { amountCents, ...rest }, idempotencyKey }: Submission) =>
      api.post<Requested>('/transactions/withdraw', { amount: toDollars(amountCents), ...rest }, { idempotencyKey }),
    onSuccess: () => {
      forgetQuotes(client)
      return Promise.all([
        client.invalidateQueries({ queryKey: queryKeys.transactions }),
        client.invalidateQueries({ queryKey: queryKeys.session }),
        client.invalidateQueries({ queryKey: queryKeys.terms }),
      ])
    },
    // What is left may have changed since the page was opened.
    onError: (error) => {
      forgetQuotes(client, error)
      if (toApiError(error).code === 'LIMIT_REACHED') void client.invalidateQueries({ queryKey: queryKeys.terms })
    },
    meta: { inlineFields: ['amount', 'address', 'memo'] },
  })
}
