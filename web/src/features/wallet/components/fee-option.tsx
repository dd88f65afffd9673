import { useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { FileDrop } from '@/components/file-drop'
import { MoneyButton } from '@/components/money-button'
import { Notice } from '@/components/notice'
import type { Transaction } from '@/lib/api-types'
import { PROOF, readAsDataUrl } from '@/lib/files'
import { formatMoney } from '@/lib/money'
import { notify } from '@/lib/notify'
import { useSubmissionKey } from '@/lib/submission'
import { usePayFee } from '../api/pay-fee'
import { PROOF_MISSING } from '../fields'
import { MethodGrid, type Methods } from './method-grid'
import { PayTo } from './pay-to'

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
        <FeeForm withdrawalId={withdrawal.id} fee={fee} methods={methods} onDone={() => setOpen(false)} />
      ) : (
        <Button variant="secondary" className="mt-4" onClick={() => setOpen(true)}>
          Pay the fee separately
        </Button>
      )}
    </Card>
  )
}

type FeeFormProps = { withdrawalId: string; fee: number; methods: Methods; onDone: () => void }

function FeeForm({ withdrawalId, fee, methods, onDone }: FeeFormProps) {
  const payFee = usePayFee()
  const submissionKey = useSubmissionKey()
  const [method, setMethod] = useState('')
  const [proof, setProof] = useState<File | null>(null)
  const [tried, setTried] = useState(false)
  const selected = methods.data?.find(({ id }) => id === method)

  const pick = (file: File) => {
    setProof(file)
    notify.success('Proof of payment uploaded successfully!')
  }

  const submit = async () => {
    setTried(true)
    if (!method || !proof) return notify.error('Please fill in all required fields')
    try {
      const receipt = await readAsDataUrl(proof)
      const idempotencyKey = submissionKey.for([withdrawalId, method, selected?.version, proof.name, proof.size, proof.lastModified])
      const payment = { transactionId: withdrawalId, amount: fee, method, methodVersion: selected?.version, receipt }
      await payFee.mutateAsync({ payment, idempotencyKey })
      submissionKey.settle()
      onDone()
    } catch (error) {
      submissionKey.settle(error)
    }
  }

  return (
    <div className="mt-5 space-y-6 border-t border-line pt-5">
      <p className="font-medium">{`Amount to pay: ${formatMoney(fee)}`}</p>
      <MethodGrid legend="Payment method" methods={methods} selected={method} onSelect={setMethod} error={tried && !method ? 'Choose a method' : undefined} />
      {selected && <PayTo method={selected} confirmedBy={null} />}
      <FileDrop
        label="Proof of payment"
        hint="A photo, an image or a PDF"
        kind={PROOF}
        file={proof}
        onPick={pick}
        onRemove={() => setProof(null)}
        error={tried && !proof ? PROOF_MISSING : undefined}
      />
      <div className="flex flex-wrap gap-3">
        <MoneyButton busyLabel="Confirming payment..." onClick={submit}>
          I have made payment
        </MoneyButton>
        <Button variant="ghost" disabled={payFee.isPending} onClick={onDone}>
          Cancel
        </Button>
      </div>
    </div>
  )
}
