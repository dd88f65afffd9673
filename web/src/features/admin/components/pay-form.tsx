import { useState, type ReactNode } from 'react'
import { Amount } from '@/components/amount'
import { Button } from '@/components/button'
import { CopyButton } from '@/components/copy-button'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { Notice } from '@/components/notice'
import { QrCode } from '@/components/qr-code'
import { toApiError } from '@/lib/api-error'
import { plainDollars, toCents } from '@/lib/money'
import { useMember } from '@/lib/session'
import { useMarkPaid } from '../api/review-transaction'
import { useStaffName } from '../api/staff'
import type { Review } from '../api/types'
import { StaleNotice } from './stale-notice'

/** From here on a withdrawal takes two people [D-W5]. */
const TWO_PEOPLE_FROM_CENTS = 100_000

/** Where the money goes, to copy or to scan, and the hash of the payout once it is made. */
export function PayForm({ review, onDone }: { review: Review; onDone: () => void }) {
  const { transaction: one, approvedBy } = review
  const me = useMember()
  const staffName = useStaffName()
  const net = one.netAmount ?? one.amount
  const isLarge = toCents(one.amount) >= TWO_PEOPLE_FROM_CENTS
  const isOwn = isLarge && approvedBy === me.id
  return (
    <div className="space-y-4">
      <h2 className="text-base font-semibold">Pay out</h2>
      <Line label={one.method ? `${one.method.currency} on ${one.method.network}, worth` : 'Amount'} copy={plainDollars(toCents(net))}>
        <Amount value={net} className="text-2xl font-semibold" />
      </Line>
      {one.destination ? (
        <>
          <Line label="To" copy={one.destination.address}>
            <code className="font-mono text-sm break-all select-all">{one.destination.address}</code>
          </Line>
          {one.destination.memo && (
            <Line label="Memo, without it the payout is lost" copy={one.destination.memo}>
              <code className="font-mono text-sm break-all select-all">{one.destination.memo}</code>
            </Line>
          )}
          <QrCode text={one.destination.address} label={`QR code of ${one.destination.address}`} />
        </>
      ) : (
        <Notice tone="caution" title="No address yet">The member has to name one first.</Notice>
      )}
      <p className="text-sm text-ink-faint">
        Approved by {staffName(approvedBy)}.{isLarge && ' From $1,000.00 on, another person than the approver pays.'}
      </p>
      {isOwn ? (
        <Notice tone="caution" title="Another person has to pay this">You approved it yourself.</Notice>
      ) : (
        one.destination && <PaidForm review={review} onDone={onDone} />
      )}
    </div>
  )
}

function PaidForm({ review: { transaction }, onDone }: { review: Review; onDone: () => void }) {
  const paid = useMarkPaid(transaction.id)
  const [seen, setSeen] = useState(transaction.revision)
  const [txid, setTxid] = useState('')
  const [tried, setTried] = useState(false)
  const error = tried && !txid.trim() ? 'The hash of the payout is required' : toApiError(paid.error).fields['txid']
  const submit = () => {
    setTried(true)
    if (txid.trim()) return paid.mutateAsync({ revision: seen, txid: txid.trim() }, { onSuccess: onDone })
  }
  return (
    <Form onSubmit={submit} className="space-y-4 border-t border-line pt-4">
      <StaleNotice seen={seen} now={transaction.revision} error={paid.error} onBack={() => setSeen(transaction.revision)} />
      <TextField
        label="Transaction hash of the payout"
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-sm"
        value={txid}
        onChange={(event) => setTxid(event.target.value)}
        error={error}
        hint="A payout marked as paid can never be changed again."
      />
      <Button type="submit" wide busyLabel="Saving...">
        Mark as paid
      </Button>
    </Form>
  )
}

function Line({ label, copy, children }: { label: string; copy: string; children: ReactNode }) {
  return (
    <div>
      <p className="text-sm text-ink-faint">{label}</p>
      <div className="mt-0.5 flex items-center justify-between gap-3">
        <div className="min-w-0">{children}</div>
        <CopyButton text={copy} success="Copied" failure="Copying did not work; select the text instead" />
      </div>
    </div>
  )
}
