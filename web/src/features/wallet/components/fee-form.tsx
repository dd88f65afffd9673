import { useState } from 'react'
import { Button } from '@/components/button'
import { FileDrop } from '@/components/file-drop'
import { MoneyButton } from '@/components/money-button'
import { PROOF, readAsDataUrl } from '@/lib/files'
import { formatMoney } from '@/lib/money'
import { notify } from '@/lib/notify'
import { useSubmissionKey } from '@/lib/submission'
import { usePayFee } from '../api/pay-fee'
import { PROOF_MISSING } from '../fields'
import { MethodGrid, type Methods } from './method-grid'
import { PayTo } from './pay-to'

type FeeFormProps = { withdrawalId: string; fee: number; methods: Methods; onDone: () => void }

/** The payment of a withdrawal's fee [D-W4]. */
export function FeeForm({ withdrawalId, fee, methods, onDone }: FeeFormProps) {
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
