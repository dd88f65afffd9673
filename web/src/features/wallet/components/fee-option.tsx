import { Suspense, lazy, useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Notice } from '@/components/notice'
import { Skeleton } from '@/components/skeleton'
import type { Transaction } from '@/lib/api-types'
import { loadChunk } from '@/lib/load-chunk'
import { formatMoney } from '@/lib/money'
import type { Methods } from './method-grid'

const FeeForm = lazy(async () => ({ default: (await loadChunk(() => import('./fee-form'))).FeeForm }))

type FeeOptionProps = { withdrawal: Transaction; methods: Methods; feeTransaction?: Transaction }

/** The choice on an open withdrawal: leave the fee in the payout, or pay it separately [D-W4]. */
export function FeeOption({ withdrawal, methods, feeTransaction }: FeeOptionProps) {
  const [open, setOpen] = useState(false)
  const { amount, fee, netAmount, feePaid } = withdrawal
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
    <Card className="p-5 sm:p-6">
      <h2 className="font-semibold">Withdrawal fee</h2>
      <p className="mt-1 text-ink-soft">
        {`There is nothing you need to pay: the fee of ${formatMoney(fee)} is deducted from the payout and you receive ${formatMoney(netAmount)}. If you would rather receive the full ${formatMoney(amount)}, you can pay the fee separately.`}
      </p>
      {open ? (
        <Suspense fallback={<Skeleton className="mt-5 h-96" />}>
          <FeeForm withdrawalId={withdrawal.id} fee={fee} methods={methods} onDone={() => setOpen(false)} />
        </Suspense>
      ) : (
        <Button variant="secondary" className="mt-4" onClick={() => setOpen(true)}>
          Pay the fee separately
        </Button>
      )}
    </Card>
  )
}
