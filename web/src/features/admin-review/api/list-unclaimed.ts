import { useQuery } from '@tanstack/react-query'
import { adminKeys } from '@/features/admin/api/keys'
import type { UnclaimedPayment } from '@/features/admin/api/types'
import { api } from '@/lib/api-client'
import { usePagedQuery } from '@/lib/paged-query'

const LOOK_AGAIN_MS = 20_000

type Page = { payments: UnclaimedPayment[]; nextCursor?: string | null }

/** Payments to the platform that no transaction accounts for, newest first [D-Q6]. */
export function useUnclaimed() {
  const { pages, ...query } = usePagedQuery<Page>(adminKeys.unclaimed, '/admin/payments/unclaimed', { pollMs: LOOK_AGAIN_MS, silent: true })
  return { ...query, data: pages?.flatMap((page) => page.payments) }
}

const COUNT_AGAIN_MS = 5 * 60_000

/** How many the newest page has, for the menu: now and then, because payments and transactions are compared for it. */
export function useUnclaimedCount({ enabled }: { enabled: boolean }) {
  const { data } = useQuery({
    queryKey: [...adminKeys.unclaimed, 'count'],
    queryFn: ({ signal }) => api.get<Page>('/admin/payments/unclaimed', { signal }),
    refetchInterval: COUNT_AGAIN_MS,
    staleTime: COUNT_AGAIN_MS,
    enabled,
    meta: { silent: true },
  })
  return data?.payments.length
}
