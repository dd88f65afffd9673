import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'
import { adminKeys } from '@/features/admin/api/keys'
import { useStaffAction } from '@/features/admin/api/use-staff-action'
import type { Proposal } from '@/features/admin/api/types'

const POLL_MS = 15_000

type Page = { proposals: Proposal[]; nextCursor?: string | null }

function url(status: Proposal['status'], cursor: string | null) {
  return `/admin/proposals?${new URLSearchParams({ status, ...(cursor ? { cursor } : {}) }).toString()}`
}

/** Changes that wait for a second person (`open`), or the decided ones; newest first, page by page. */
export function useProposals(status: Proposal['status']) {
  const query = useInfiniteQuery({
    queryKey: adminKeys.proposals(status),
    queryFn: ({ pageParam, signal }) => api.get<Page>(url(status, pageParam), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor ?? null,
    refetchInterval: status === 'open' ? POLL_MS : false,
    meta: { silent: true },
  })
  return { ...query, proposals: query.data?.pages.flatMap((page) => page.proposals) }
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
