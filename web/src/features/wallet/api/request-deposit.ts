import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { toDollars } from '@/lib/money'
import { queryKeys } from '@/lib/query-keys'
import { forgetQuotes } from './forget-quotes'

export type DepositRequest = {
  amountCents: number
  /** The id of a platform method. */
  method: string
  /** The version of it whose address was shown [D-D3]. */
  methodVersion?: number
  /** The proof as a data URL. */
  receipt: string
  /** `deposit` or `course`. */
  type: string
  txid?: string
  /** A quote for this amount and method; without one it is valued on arrival [D-Q1]. */
  quoteId?: string
  /** Its payment may have been sent while the quote was open, and the proof later. */
  quoteMayHaveEnded?: boolean
}

type Submission = { request: DepositRequest; idempotencyKey: string }

export function useRequestDeposit() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ request: { amountCents, ...rest }, idempotencyKey }: Submission) =>
      api.post('/transactions/deposit', { amount: toDollars(amountCents), ...rest }, { idempotencyKey }),
    onSuccess: () => {
      forgetQuotes(client)
      // A payment for it is in review from now on.
      void client.invalidateQueries({ queryKey: queryKeys.course })
      return client.invalidateQueries({ queryKey: queryKeys.transactions })
    },
    onError: (error) => forgetQuotes(client, error),
    meta: { inlineFields: ['amount', 'txid', 'receipt'] },
  })
}
