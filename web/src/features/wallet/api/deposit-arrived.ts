import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { ChainPayment, Transaction } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

/** What arrived at own addresses of the member and no deposit rests on yet, regardless of the amount [D-N2]. */
export const useArrivedPayments = () =>
  useQuery({
    queryKey: [...queryKeys.paymentMethods, 'arrived'],
    queryFn: async ({ signal }) => (await api.get<{ arrived?: ChainPayment[] }>('/payment-methods', { signal })).arrived ?? [],
    refetchInterval: 15_000,
    meta: { silent: true },
  })

const bare = (hash: string) => hash.toLowerCase().replace(/^0x/, '')

/** The hashes that open deposits of the member are about. */
export const useRequestedHashes = (enabled: boolean) =>
  useQuery({
    queryKey: [...queryKeys.transactions, 'requested'],
    queryFn: async ({ signal }) => {
      const { transactions } = await api.get<{ transactions: Transaction[] }>('/transactions/user?size=50', { signal })
      return transactions.filter(({ status }) => status === 'pending').map(({ txid }) => bare(txid ?? ''))
    },
    enabled,
    meta: { silent: true },
  })

type Submission = { payment: Pick<ChainPayment, 'chain' | 'txid' | 'index'>; idempotencyKey: string }

/** Makes a deposit of a payment that arrived before there was a request. */
export function useDepositArrived() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ payment: { chain, txid, index }, idempotencyKey }: Submission) =>
      api.post('/transactions/deposit/arrived', { chain, txid, index }, { idempotencyKey }),
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.transactions }),
  })
}
