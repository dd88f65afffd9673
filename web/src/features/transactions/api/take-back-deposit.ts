import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { moneyKeys } from '@/lib/query-keys'

/** Ends a pending deposit or course payment of which no payment was seen [D-M5]. */
export function useTakeBackDeposit() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => api.delete<{ message: string }>(`/transactions/${encodeURIComponent(id)}`),
    onSuccess: () => Promise.all(moneyKeys.map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
}
