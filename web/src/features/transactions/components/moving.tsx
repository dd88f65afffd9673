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
    // The fallback is as high as the card: its head, and a row for each.
    <Suspense
      fallback={
        <div className="space-y-px pt-11.75">
          {moving.map(({ id }) => (
            <Skeleton key={id} className="h-15" />
          ))}
        </div>
      }
    >
      <MovingMoney transactions={moving} />
    </Suspense>
  )
}
