import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'
import { adminKeys } from './keys'
import { useStaffAction } from './use-staff-action'
import type { Proposal } from './types'

const POLL_MS = 15_000

/** Changes that wait for a second person (`open`), or the decided ones. */
export const useProposals = (status: Proposal['status']) =>
  useQuery({
    queryKey: adminKeys.proposals(status),
    queryFn: ({ signal }) => api.get<{ proposals: Proposal[] }>(`/admin/proposals?status=${status}`, { signal }),
    select: ({ proposals }) => proposals,
    refetchInterval: status === 'open' ? POLL_MS : false,
    meta: { silent: true },
  })

export function useDecideProposal(id: string) {
  const client = useQueryClient()
  return useStaffAction(async (verdict: 'confirm' | 'reject', options) => {
    const answer = await api.post(`/admin/proposals/${encodeURIComponent(id)}/${verdict}`, undefined, options)
    // A published value changes what members see of the plan too.
    void client.invalidateQueries({ queryKey: queryKeys.plans })
    return answer
  })
}
