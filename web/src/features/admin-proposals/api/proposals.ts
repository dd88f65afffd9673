import { useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { usePagedQuery } from '@/lib/paged-query'
import { queryKeys } from '@/lib/query-keys'
import { adminKeys } from '@/features/admin/api/keys'
import { useStaffAction } from '@/features/admin/api/use-staff-action'
import type { Proposal } from '@/features/admin/api/types'

const POLL_MS = 15_000

type Page = { proposals: Proposal[]; nextCursor?: string | null }

/** Changes that wait for a second person (`open`), or the decided ones; newest first, page by page. */
export function useProposals(status: Proposal['status']) {
  const options = { params: { status }, silent: true, ...(status === 'open' && { pollMs: POLL_MS }) }
  const { pages, ...query } = usePagedQuery<Page>(adminKeys.proposals(status), '/admin/proposals', options)
  return { ...query, proposals: pages?.flatMap((page) => page.proposals) }
}

export function useDecideProposal(id: string) {
  const client = useQueryClient()
  return useStaffAction(async (verdict: 'confirm' | 'reject', options) => {
    const answer = await api.post(`/admin/proposals/${encodeURIComponent(id)}/${verdict}`, undefined, options)
    // A published value changes what members see of the plan too.
    void client.invalidateQueries({ queryKey: queryKeys.plans })
    return answer
  })
}
