import { Suspense, lazy } from 'react'
import { Skeleton } from '@/components/skeleton'
import { loadChunk } from '@/lib/load-chunk'
import { useNewestTransactions } from '../api/list-transactions'

const MovingMoney = lazy(async () => ({ default: (await loadChunk(() => import('./moving-money'))).MovingMoney }))

/** What is on its way in or out; nothing where nothing is. */
export function Moving() {
  const moving = useNewestTransactions().transactions?.filter(({ status }) => status === 'pending')
  if (!moving?.length) return null
  return (
    <Suspense fallback={<Skeleton className="h-21" />}>
      <MovingMoney transactions={moving} />
    </Suspense>
  )
}
