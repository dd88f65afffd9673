import { Suspense, lazy } from 'react'
import { loadChunk } from '@/lib/load-chunk'
import { useNewestTransactions } from '../api/list-transactions'

const MovingMoney = lazy(async () => ({ default: (await loadChunk(() => import('./moving-money'))).MovingMoney }))

/** What is on its way in or out; nothing where nothing is. */
export function Moving() {
  const moving = useNewestTransactions().transactions?.filter(({ status }) => status === 'pending')
  if (!moving?.length) return null
  return (
    // As high as the card, of a head and these rows, so that nothing moves when it comes.
    <Suspense fallback={<div style={{ height: 46 + 61 * moving.length }} />}>
      <MovingMoney transactions={moving} />
    </Suspense>
  )
}
