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

/** What the member can still do about a withdrawal that is under way. */
export function OpenWithdrawal({ withdrawal }: { withdrawal: Transaction }) {
  const methods = usePaymentMethods()
  const { transactions } = useTransactions()
  const fee = transactions?.find((row) => row.title === 'Fee' && row.relatedId === withdrawal.id && row.status !== 'failed')
  const platform = methods.data?.filter((method) => method.scope !== 'personal')
  return (
    <>
      {(withdrawal.needsDestination || withdrawal.needsConfirmation) && (
        <Suspense fallback={<Skeleton className="h-72" />}>
          <DestinationStep withdrawal={withdrawal} />
        </Suspense>
      )}
      <FeeOption withdrawal={withdrawal} methods={{ ...methods, data: platform }} feeTransaction={fee} />
    </>
  )
}
