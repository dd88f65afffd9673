import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { RiskAnswer } from '@/lib/api-types'

const queryKey = ['risk-answer']

/** Which risk page holds, and when the member answered it. */
export const useRiskAnswer = () =>
  useQuery({ queryKey, queryFn: ({ signal }) => api.get<RiskAnswer>('/trades/risk-answer', { signal }), meta: { silent: true } })

/** Stores that this version was read and understood. */
export function useAnswerRisk() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (version: number) => api.put<{ answeredAt: string }>('/trades/risk-answer', { version }),
    // The page may have changed meanwhile: then the new one is shown.
    onSettled: () => client.invalidateQueries({ queryKey }),
  })
}
