import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'

export type FeePayment = { transactionId: string; amount: number; method: string; methodVersion?: number; receipt: string }

type Submission = { payment: FeePayment; idempotencyKey: string }

/** Pays the fee of an open withdrawal separately; an option, never a condition [D-W4]. */
export function usePayFee() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ payment, idempotencyKey }: Submission) =>
      api.post(`/transactions/fee/${payment.transactionId}`, payment, { idempotencyKey }),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.transactions }),
    meta: { fallbackMessage: 'An error occurred' },
  })
}
