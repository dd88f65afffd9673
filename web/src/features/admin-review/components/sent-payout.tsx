import { CircleHelp } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { SelectField, TextField } from '@/components/field'
import { Form } from '@/components/form'
import { FormActions } from '@/components/form-actions'
import { Notice } from '@/components/notice'
import { toApiError } from '@/lib/api-error'
import { formatDateTime } from '@/lib/dates'
import { hashIn } from '@/lib/pasted-payment'
import type { Review } from '@/features/admin/api/types'
import { useMay } from '@/features/admin/permissions'
import { useCorrectPayout, type PayoutCorrection } from '../api/review-transaction'
import { parseOutput } from '../outputs'
import { OtherAmount } from './other-amount'
import { HashField } from './hash-field'
import { OutputField } from './output-field'

/** A payout on its way: nobody decides it any more, unless it does not arrive as it was fixed [D-N4]. */
export function SentPayout({ review, sentAt }: { review: Review; sentAt: string }) {
  const { transaction: one } = review
  const may = useMay()
  const [asking, setAsking] = useState(false)
  return (
    <div className="space-y-4">
      <Notice title={`Sent ${formatDateTime(sentAt)}`}>
        It is confirmed by itself once the network shows exactly this amount at the destination, for good. If it does not within an hour, the integrity report says so.
      </Notice>
      <OtherAmount review={review} />
      {may('correctBalances') && (
        <Button variant="secondary" wide onClick={() => setAsking(true)} icon={<CircleHelp aria-hidden className="size-4.5" />}>
          It did not arrive like this
        </Button>
      )}
      <Dialog open={asking} onClose={() => setAsking(false)} title={`Correct the payout of ${one.reference}`}>
        <CorrectionForm id={one.id} onDone={() => setAsking(false)} />
      </Dialog>
    </div>
  )
}

const outcomes = [
  { value: 'other_transaction', label: 'It was paid with another transaction' },
  { value: 'not_sent', label: 'It was not sent, and can be paid again' },
  { value: 'arrived', label: 'It arrived with another amount, and is paid' },
] as const

type Outcome = PayoutCorrection['outcome']

const isOutcome = (text: string): text is Outcome => outcomes.some(({ value }) => value === text)

function CorrectionForm({ id, onDone }: { id: string; onDone: () => void }) {
  const correct = useCorrectPayout(id)
  const [outcome, setOutcome] = useState<Outcome>()
  const [hash, setHash] = useState('')
  const [index, setIndex] = useState('')
  const [note, setNote] = useState('')
  const [tried, setTried] = useState(false)
  const refused = toApiError(correct.error).fields
  const isOther = outcome === 'other_transaction'
  const txid = hashIn(hash)
  const output = parseOutput(index)
  const submit = () => {
    setTried(true)
    if (!outcome || !note.trim() || (isOther && (!txid || output === null))) return
    const other = isOther ? { txid, ...(typeof output === 'number' ? { vout: output } : {}) } : {}
    return correct.mutateAsync({ outcome, ...other, note: note.trim() }, { onSuccess: onDone })
  }
  return (
    <Form onSubmit={submit} className="space-y-4">
      <p className="text-sm">Another treasurer has to confirm it.</p>
      <SelectField
        label="What became of it"
        options={outcomes}
        blank="Choose"
        value={outcome ?? ''}
        onChange={(event) => setOutcome(isOutcome(event.target.value) ? event.target.value : undefined)}
        error={tried && !outcome ? 'Choose what became of it' : undefined}
      />
      {isOther && (
        <>
          <HashField
            label="Transaction hash of the payout"
            value={hash}
            onChange={(event) => setHash(event.target.value)}
            error={tried && !txid ? 'The hash of the payout is required' : refused['txid']}
          />
          <OutputField value={index} onChange={setIndex} tried={tried} refused={refused['vout']} />
        </>
      )}
      <TextField
        label="Reason"
        maxLength={500}
        value={note}
        onChange={(event) => setNote(event.target.value)}
        error={tried && !note.trim() ? 'Enter a reason' : refused['note']}
      />
      <FormActions submitLabel="Propose" busyLabel="Saving..." onCancel={onDone} />
    </Form>
  )
}
