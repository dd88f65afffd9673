import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { PaymentMethod } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

const listPaymentMethods = async ({ signal }: { signal: AbortSignal }) => {
  const { paymentMethods } = await api.get<{ paymentMethods: PaymentMethod[] }>('/payment-methods', { signal })
  return paymentMethods
}

/** The platform's active methods and the member's own. */
export const usePaymentMethods = () => useQuery({ queryKey: queryKeys.paymentMethods, queryFn: listPaymentMethods })
