import { useState } from 'react'
import { Amount } from '@/components/amount'
import { Button } from '@/components/button'
import { MoneyField, SelectField, TextField } from '@/components/field'
import { Form } from '@/components/form'
import { StepActions } from '@/components/form-actions'
import { toApiError } from '@/lib/api-error'
import { notify } from '@/lib/notify'
import { amountRefusal, parseCents } from '@/lib/amounts'
import { hashIn } from '@/lib/pasted-payment'
import { formatMoney, plainDollars, toCents, toDollars } from '@/lib/money'
import { useApprove } from '../api/review-transaction'
import type { Review } from '@/features/admin/api/types'
import { parseOutput, paymentOption, placeOf } from '../outputs'
import { HashField } from './hash-field'
import { OutputField } from './output-field'
import { StaleNotice } from './stale-notice'

/** What becomes of an amount that is not the claimed one. */
function consequence(kind: string, cents: number, claimed: number) {
  if (cents === claimed) return undefined
  if (kind === 'deposit')
    return `The member claimed ${formatMoney(toDollars(claimed))}. The amount that arrived is credited and stated in the email to the member.`
  if (cents < claimed)
    return `The course costs ${formatMoney(toDollars(claimed))}. What arrived is added to the balance, and the course stays locked.`
  return `The course is unlocked, and the ${formatMoney(toDollars(cents - claimed))} above its price are added to the balance.`
}

type Payment = NonNullable<Review['evidence']>['payments'][number]
type PaymentFieldProps = { payments: readonly Payment[]; place: string; onChoose: (chosen: Payment | undefined) => void }

function PaymentField({ payments, place, onChoose }: PaymentFieldProps) {
  return (
    <SelectField
      label="Payment"
      blank="Choose the payment of this request"
      options={payments.map(paymentOption)}
      value={payments.some((one) => placeOf(one) === place) ? place : ''}
      onChange={(event) => onChoose(payments.find((one) => placeOf(one) === event.target.value))}
      hint="The best match is first. The others stay free for other requests."
    />
  )
}

/** Whether the chain shows final payments that are worth an amount, and no check of them failed or could not be made, as the server asks. */
function isProven({ checks, evidence }: Review, cents: number) {
  const { payments, suggestedAmount } = evidence ?? { payments: [] }
  const isKnown = checks.every(({ name, state }) => !name.startsWith('payment_') || state === 'ok' || state === 'warn')
  const isWorthIt = suggestedAmount !== undefined && cents <= toCents(suggestedAmount)
  return payments.length > 0 && payments.every(({ state }) => state === 'final') && isKnown && isWorthIt
}

type FormProps = { review: Review; onDone: () => void; onBack: () => void }

/** What arrived and by which transaction; a withdrawal needs neither. The first field that is missing has the focus. */
export function ApproveForm({ review, onDone, onBack }: FormProps) {
  const { id, kind, revision, amount, netAmount, txid: claimedTxid } = review.transaction
  const approve = useApprove(id)
  const [seen] = useState(revision)
  const [evidenceAt] = useState(review.evidence?.at)
  const { payments, suggestedAmount } = review.evidence ?? { payments: [] }
  // The second of two reviewers enters what they see themselves.
  const payment = payments.length === 1 && !review.transaction.firstApproval ? payments[0] : undefined
  const [received, setReceived] = useState(plainDollars(toCents((kind === 'fee' ? undefined : payment && suggestedAmount) ?? amount)))
  const [txid, setTxid] = useState(payment?.txid ?? claimedTxid ?? '')
  const [output, setOutput] = useState(payment ? String(payment.index) : '')
  const [note, setNote] = useState('')
  const [tried, setTried] = useState(false)
  const isPayment = kind !== 'withdrawal'
  const cents = parseCents(received)
  // What the chain proves needs no note.
  const needsNote = isPayment && !isProven(review, kind === 'fee' || cents === null ? toCents(amount) : cents)
  const hash = hashIn(txid)
  const vout = parseOutput(output)
  const refused = toApiError(approve.error).fields
  const amountError = tried && cents === null ? amountRefusal(received) : refused['receivedAmount']
  const noteError = tried && needsNote && !note.trim() ? 'The chain does not prove this payment. Please state how it was verified.' : refused['note']
  // The one that is known of the payment: an output of it may still be free.
  const isKnown = hash === hashIn(payment?.txid ?? claimedTxid ?? '') && typeof vout !== 'number'
  const used = isKnown ? review.blockers.find(({ act }) => act === 'hash')?.message : undefined
  const txidError = used ?? (tried && !hash ? 'The hash of the payment is required' : refused['txid'])

  const choose = (chosen: Payment | undefined) => {
    setTxid(chosen?.txid ?? claimedTxid ?? '')
    setOutput(chosen ? String(chosen.index) : '')
  }

  const submit = () => {
    setTried(true)
    if (isPayment && (cents === null || vout === null || !hash || used || (needsNote && !note.trim()))) return
    const payment = isPayment && cents !== null ? { receivedAmount: toDollars(cents), txid: hash } : {}
    const details = { ...(isPayment && typeof vout === 'number' ? { vout } : {}), ...(note.trim() ? { note: note.trim() } : {}) }
    const done = ({ needsSecond }: { needsSecond?: boolean }) => {
      if (needsSecond) notify.success('Approved. A second reviewer has to approve it too.')
      onDone()
    }
    return approve.mutateAsync({ revision: seen, ...payment, ...details, ...(evidenceAt ? { evidenceAt } : {}) }, { onSuccess: done })
  }

  return (
    <Form onSubmit={submit} onKeyDown={(event) => event.key === 'Escape' && onBack()} className="space-y-4">
      <h2 className="text-base font-semibold">Approve this {kind === 'course' ? 'course payment' : kind}</h2>
      <StaleNotice seen={seen} now={revision} error={approve.error} onBack={onBack} />
      {isPayment ? (
        <>
          {payments.length > 1 && <PaymentField payments={payments} place={`${txid} ${output}`} onChoose={choose} />}
          {kind !== 'fee' && (
            <MoneyField
              label="Amount that arrived"
              value={received}
              onChange={(event) => setReceived(event.target.value)}
              error={amountError}
              hint={cents !== null ? consequence(kind, cents, toCents(amount)) : undefined}
            />
          )}
          <HashField
            label="Transaction hash"
            autoFocus={!needsNote || !txid}
            value={txid}
            onChange={(event) => setTxid(event.target.value)}
            error={txidError}
            hint={payment ? 'Found on the chain.' : claimedTxid ? 'Entered by the member. Compare it with the network.' : 'As shown on the network.'}
          />
          <OutputField value={output} onChange={setOutput} tried={tried} refused={refused['vout']} />
        </>
      ) : (
        <p className="text-sm text-ink-soft">
          <Amount value={netAmount ?? amount} className="font-semibold text-ink" /> will wait for a treasurer to pay it out to the
          address shown.
        </p>
      )}
      <TextField
        label="Note for the audit log"
        optional={!needsNote && !refused['note']}
        autoFocus={!isPayment || (needsNote && txid !== '')}
        value={note}
        onChange={(event) => setNote(event.target.value)}
        error={noteError}
        maxLength={500}
      />
      <StepActions onCancel={onBack}>
        <Button type="submit" busyLabel="Approving..." disabled={used !== undefined}>
          {isPayment && kind === 'deposit' && cents !== null ? `Credit ${formatMoney(toDollars(cents))}` : 'Approve'}
        </Button>
      </StepActions>
    </Form>
  )
}
