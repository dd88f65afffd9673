import { Suspense, lazy } from 'react'
import { Skeleton } from '@/components/skeleton'
import type { Wallet } from '@/lib/api-types'
import { loadChunk } from '@/lib/load-chunk'

// Few members ever see it.
const KeptBack = lazy(async () => ({ default: (await loadChunk(() => import('./kept-back'))).KeptBack }))

/** What is kept back and what is owed; nothing in a wallet without either [D-B9] [D-B10]. */
export function BalanceNotices({ wallet }: { wallet: Wallet | null | undefined }) {
  if (!wallet?.onHold && !wallet?.owed) return null
  return (
    <Suspense fallback={<Skeleton className="h-24" />}>
      <KeptBack wallet={wallet} />
    </Suspense>
  )
}
