import { adminKeys } from '@/features/admin/api/keys'
import type { UnclaimedPayment } from '@/features/admin/api/types'
import { usePagedQuery } from '@/lib/paged-query'

const LOOK_AGAIN_MS = 20_000

type Page = { payments: UnclaimedPayment[]; nextCursor?: string | null }

/** Payments to the platform that no transaction accounts for, newest first [D-Q6]. */
export function useUnclaimed() {
  const { pages, ...query } = usePagedQuery<Page>(adminKeys.unclaimed, '/admin/payments/unclaimed', { pollMs: LOOK_AGAIN_MS, silent: true })
  return { ...query, data: pages?.flatMap((page) => page.payments) }
}
