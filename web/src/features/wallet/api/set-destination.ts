import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'

type Destination = { transactionId: string; address: string; memo?: string }

/** Sets the missing destination of an open withdrawal, once [D-R14]. */
export function useSetDestination() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ transactionId, ...destination }: Destination) =>
      api.put(`/transactions/${transactionId}/destination`, destination),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.transactions }),
    meta: { inlineFields: ['address', 'memo'] },
  })
}
