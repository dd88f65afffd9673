import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'

/** Buys the course from the wallet balance at once [D-C2]. */
export function usePurchaseCourse() {
  const client = useQueryClient()
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: queryKeys.course }),
      client.invalidateQueries({ queryKey: queryKeys.transactions }),
      client.invalidateQueries({ queryKey: queryKeys.session }),
    ])
  return useMutation({
    mutationFn: (idempotencyKey: string) => api.post('/courses/purchase', undefined, { idempotencyKey }),
    // A refusal means that the screen was out of date: look again either way.
    onSettled: refresh,
  })
}
