import { Suspense, lazy, useState } from 'react'
import { Notice } from '@/components/notice'
import { Skeleton } from '@/components/skeleton'
import type { Transaction } from '@/lib/api-types'
import { isApproved } from '@/lib/approved'
import { loadChunk } from '@/lib/load-chunk'
import { formatMoney } from '@/lib/money'
import type { Methods } from './method-grid'

const FeeForm = lazy(async () => ({ default: (await loadChunk(() => import('./fee-form'))).FeeForm }))

type FeeOptionProps = { withdrawal: Transaction; methods: Methods; feeTransaction?: Transaction }

/** The choice on an open withdrawal: leave the fee in the payout, or pay it separately [D-W4]. */
export function FeeOption({ withdrawal, methods, feeTransaction }: FeeOptionProps) {
  const [open, setOpen] = useState(false)
  const { amount, fee, netAmount, feePaid } = withdrawal
  const isTooLate = isApproved(withdrawal)
  if (fee == null || netAmount == null) return null
  if (feePaid) return <Notice title="Fee paid">{`You receive the full ${formatMoney(amount)}.`}</Notice>
  if (feeTransaction?.status === 'pending') {
    return (
      <Notice title="Your fee payment is in review">
        {`Once it is confirmed you receive the full ${formatMoney(amount)}. You do not have to pay anything else.`}
      </Notice>
    )
  }
  return (
    <div className="rounded-lg border border-line px-4 py-3 text-sm text-ink-soft sm:px-5">
      {(!open || isTooLate) && (
        <p>
          <span>{`There is nothing you need to pay: the fee of ${formatMoney(fee)} is deducted from the payout and you receive ${formatMoney(netAmount)}.`}</span>{' '}
          {!isTooLate && (
            <button
              type="button"
              onClick={() => setOpen(true)}
              className="inline-flex min-h-9 items-center underline underline-offset-3 hover:text-ink pointer-coarse:min-h-11"
            >
              Pay the fee separately
            </button>
          )}
        </p>
      )}
      {open && !isTooLate && (
        <Suspense fallback={<Skeleton className="mt-5 h-96" />}>
          <p>
            {`Pay the fee of ${formatMoney(fee)} yourself to receive the full ${formatMoney(amount)} instead of ${formatMoney(netAmount)}. The network’s own fee for this payment may be higher.`}
          </p>
          <FeeForm withdrawalId={withdrawal.id} fee={fee} methods={methods} onDone={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}
