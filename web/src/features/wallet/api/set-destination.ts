import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'

type Destination = { transactionId: string; address: string; memo?: string }

/** Says where an open withdrawal without an address goes; possible once [D-R14]. */
export function useSetDestination() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ transactionId, ...destination }: Destination) =>
      api.put(`/transactions/${transactionId}/destination`, destination),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.transactions }),
    meta: { inlineFields: ['address', 'memo'] },
  })
}
