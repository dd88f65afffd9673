import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { MoneyField, SelectField, TextField } from '@/components/field'
import { Form } from '@/components/form'
import { FormActions } from '@/components/form-actions'
import { Notice } from '@/components/notice'
import { amountRefusal, parseCents } from '@/lib/amounts'
import { toApiError } from '@/lib/api-error'
import { formatDateTime } from '@/lib/dates'
import { plainDollars, toCents, toDollars } from '@/lib/money'
import { hashIn } from '@/lib/pasted-payment'
import type { Review } from '@/features/admin/api/types'
import { useMay } from '@/features/admin/permissions'
import { useReturnPayment } from '../api/review-transaction'
import { parseOutput, paymentOption, placeOf } from '../outputs'
import { HashField } from './hash-field'
import { OutputField } from './output-field'

/** A rejected payment: what went back of it, and the way to record that [D-M5]. */
export function ReturnPayment({ review }: { review: Review }) {
  const may = useMay()
  const [asking, setAsking] = useState(false)
  const { transaction: one, returnTo, returns } = review
  if (!['deposit', 'course', 'fee'].includes(one.kind)) return null
  return (
    <>
      {returns.map(({ at, note }) => (
        <Notice key={at} title={`Returned${at ? ` ${formatDateTime(at)}` : ''}`}>
          <p className="break-words">{note}</p>
        </Notice>
      ))}
      {may('correctBalances') && (
        <Button variant="secondary" wide onClick={() => setAsking(true)} icon={<Undo2 aria-hidden className="size-4.5" />}>
          Return the payment
        </Button>
      )}
      <Dialog open={asking} onClose={() => setAsking(false)} title={`Return the payment of ${one.reference}`}>
        {returnTo.length ? (
          <ReturnForm review={review} onDone={() => setAsking(false)} />
        ) : (
          <p className="text-sm">
            {`A payment goes back only to an address that the member confirmed, and there is none for ${one.method?.currency} on ${one.method?.network} that payouts may go to now. Ask the member to save one under Payment methods.`}
          </p>
        )}
      </Dialog>
    </>
  )
}

const destinationOf = ({ address, memo }: { address: string; memo?: string }) => (memo ? `${address}, memo ${memo}` : address)

function ReturnForm({ review, onDone }: { review: Review; onDone: () => void }) {
  const { transaction: one, returnTo, evidence, candidates } = review
  const propose = useReturnPayment(one.id)
  const arrivals = [...(evidence?.payments ?? []), ...candidates]
  const [place, setPlace] = useState(arrivals.length === 1 && arrivals[0] ? placeOf(arrivals[0]) : '')
  const [typed, setTyped] = useState(one.txid ?? '')
  const [amount, setAmount] = useState(plainDollars(toCents(one.amount)))
  const [to, setTo] = useState(returnTo.length === 1 ? '0' : '')
  const [hash, setHash] = useState('')
  const [index, setIndex] = useState('')
  const [note, setNote] = useState('')
  const [tried, setTried] = useState(false)
  const refused = toApiError(propose.error).fields
  const chosen = arrivals.find((payment) => placeOf(payment) === place)
  const arrivedTxid = arrivals.length ? chosen?.txid : hashIn(typed)
  const destination = to ? returnTo[Number(to)] : undefined
  const cents = parseCents(amount)
  const txid = hashIn(hash)
  const output = parseOutput(index)
  const submit = () => {
    setTried(true)
    if (!arrivedTxid || !destination || cents === null || !txid || output === null || !note.trim()) return
    const arrived = { arrivedTxid, ...(chosen ? { arrivedVout: chosen.index } : {}) }
    const sent = { amount: toDollars(cents), ...destination, txid, ...(typeof output === 'number' ? { vout: output } : {}) }
    return propose.mutateAsync({ ...arrived, ...sent, note: note.trim() }, { onSuccess: onDone })
  }
  return (
    <Form onSubmit={submit} className="space-y-4">
      <p className="text-sm">Send it first. Another treasurer has to confirm it; then the member sees the address and the hash, and is mailed. Their balance does not change.</p>
      {arrivals.length ? (
        <SelectField
          label="What arrived"
          blank="Choose"
          options={arrivals.map(paymentOption)}
          value={place}
          onChange={(event) => setPlace(event.target.value)}
          error={tried && !chosen ? 'Choose the payment' : (refused['arrivedTxid'] ?? refused['arrivedVout'])}
        />
      ) : (
        <>
          <HashField
            label="Transaction hash of what arrived"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            error={tried && !arrivedTxid ? 'The hash of what arrived is required' : refused['arrivedTxid']}
          />
          <MoneyField
            label="Worth of what went back"
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
            error={tried && cents === null ? amountRefusal(amount) : refused['amount']}
          />
        </>
      )}
      <SelectField
        label="Address, confirmed by the member"
        blank="Choose"
        options={returnTo.map((one, at) => ({ value: String(at), label: destinationOf(one) }))}
        value={to}
        onChange={(event) => setTo(event.target.value)}
        error={tried && !destination ? 'Choose where it went' : refused['address']}
        // In full: the field may cut it.
        hint={destination && <span className="font-mono break-all">{destinationOf(destination)}</span>}
      />
      <HashField
        label="Transaction hash of the return"
        value={hash}
        onChange={(event) => setHash(event.target.value)}
        error={tried && !txid ? 'The hash of the return is required' : refused['txid']}
      />
      <OutputField value={index} onChange={setIndex} tried={tried} refused={refused['vout']} />
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
