import { Suspense, lazy } from 'react'
import { Skeleton } from '@/components/skeleton'
import { usePaymentMethods } from '@/features/payment-methods/api/list-payment-methods'
import { useTransactions } from '@/features/transactions/api/list-transactions'
import { FeeOption } from '@/features/wallet/components/fee-option'
import type { Transaction } from '@/lib/api-types'
import { loadChunk } from '@/lib/load-chunk'

const DestinationStep = lazy(async () => {
  const module = await loadChunk(() => import('@/features/wallet/components/destination-step'))
  return { default: module.DestinationStep }
})

/** Where an open withdrawal goes, while the member has to say or confirm it. */
export function Destination({ withdrawal }: { withdrawal: Transaction }) {
  return (
    <Suspense fallback={<Skeleton className="h-72" />}>
      <DestinationStep withdrawal={withdrawal} />
    </Suspense>
  )
}

/** How the fee of an open withdrawal is paid. */
export function FeeChoice({ withdrawal }: { withdrawal: Transaction }) {
  const methods = usePaymentMethods()
  const { transactions } = useTransactions()
  const fee = transactions?.find((row) => row.title === 'Fee' && row.relatedId === withdrawal.id && row.status !== 'failed')
  const platform = methods.data?.filter((method) => method.scope !== 'personal')
  return <FeeOption withdrawal={withdrawal} methods={{ ...methods, data: platform }} feeTransaction={fee} />
}
