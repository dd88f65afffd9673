import { useState, type ReactNode } from 'react'
import { Amount } from '@/components/amount'
import { Button } from '@/components/button'
import { CopyButton } from '@/components/copy-button'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { Notice } from '@/components/notice'
import { QrCode } from '@/components/qr-code'
import { toApiError } from '@/lib/api-error'
import { formatTime } from '@/lib/dates'
import { formatMoney, plainDollars, toCents } from '@/lib/money'
import { useMember } from '@/lib/session'
import { useTerms } from '@/lib/terms'
import { useLeasePayout, useMarkPaid } from '../api/review-transaction'
import { useStaffName } from '@/features/admin/api/staff'
import type { Review } from '@/features/admin/api/types'
import { secondsSince } from '@/features/admin/moments'
import { parseOutput } from '../outputs'
import { useNow } from '@/features/admin/use-now'
import { OutputField } from './output-field'
import { StaleNotice } from './stale-notice'

type PayProps = { review: Review; onDone: () => void }

/** Where the money goes, once the payout is started: for 15 minutes nobody else pays it [D-B7]. */
export function PayForm({ review, onDone }: PayProps) {
  const { transaction: one, approvedBy, approvedByName } = review
  const me = useMember()
  const staffName = useStaffName()
  // What was typed outlives the lease: whoever paid too slowly starts again and goes on.
  const [typed, setTyped] = useState({ txid: '', output: '' })
  const twoPeopleFrom = useTerms().data?.withdrawal.twoPeopleFrom
  const isLarge = twoPeopleFrom !== undefined && toCents(one.amount) >= toCents(twoPeopleFrom)
  return (
    <div className="space-y-4">
      <h2 className="text-base font-semibold">Pay out</h2>
      <p className="text-sm text-ink-faint">
        Approved by {staffName(approvedBy, approvedByName)}.{isLarge && ` From ${formatMoney(twoPeopleFrom)} on, the approver cannot pay it out.`}
      </p>
      {isLarge && approvedBy === me.id ? (
        <Notice tone="caution" title="Someone else has to pay this out">You approved it yourself.</Notice>
      ) : one.paying && one.paying.by !== me.id ? (
        <Notice tone="caution" title={`${staffName(one.paying.by, one.paying.byName)} is paying this until ${formatTime(one.paying.until ?? '')}`}>
          Until then no one else can pay or reject it.
        </Notice>
      ) : !one.destination ? (
        <Notice tone="caution" title="No address yet">The member has to enter one first.</Notice>
      ) : one.paying ? (
        <>
          <Lease review={review} until={one.paying.until ?? ''} />
          <Destination review={review} />
          <PaidForm key={one.revision} review={review} typed={typed} onType={setTyped} onDone={onDone} />
        </>
      ) : (
        <Start review={review} again={typed.txid !== ''} />
      )}
    </div>
  )
}

/** Before the start the address is not offered: two people who copy it pay twice. */
function Start({ review: { transaction: one }, again }: { review: Review; again: boolean }) {
  const lease = useLeasePayout(one.id)
  return (
    <>
      <div>
        <p className="text-sm text-ink-faint">{asset(one)}</p>
        <Amount value={one.netAmount ?? one.amount} className="text-2xl font-semibold" />
      </div>
      {again ? (
        <Notice tone="caution" title="Your reservation has expired">
          If you have sent the payment, start again and mark it as paid. If you have not, check that nobody else has sent it.
        </Notice>
      ) : (
        <p className="text-sm text-ink-soft">Starting reserves the payout for you for 15 minutes: no one else can pay or reject it.</p>
      )}
      <Button wide onClick={() => lease.mutateAsync({ revision: one.revision }).catch(() => undefined)} busyLabel="Starting...">
        Start the payout
      </Button>
    </>
  )
}

/** Until when nobody else pays, and more time. */
function Lease({ review: { transaction }, until }: { review: Review; until: string }) {
  const lease = useLeasePayout(transaction.id)
  const left = Math.max(0, Math.ceil(-secondsSince(until, useNow(1_000))))
  const minutes = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg bg-accent-soft p-3.5 text-sm">
      <p className="min-w-0 text-ink-soft">
        <span className="block font-semibold text-ink">You are paying this until {formatTime(until)}</span>
        <span role="timer" className="tabular">
          {minutes} left
        </span>
      </p>
      <Button
        variant="secondary"
        size="sm"
        onClick={() => lease.mutateAsync({ revision: transaction.revision }).catch(() => undefined)}
        busyLabel="Renewing..."
      >
        Renew
      </Button>
    </div>
  )
}

const asset = ({ method }: Review['transaction']) => (method ? `${method.currency} on ${method.network}, worth` : 'Amount')

/** What is paid and where, to copy or to scan. */
function Destination({ review: { transaction: one } }: { review: Review }) {
  const net = one.netAmount ?? one.amount
  if (!one.destination) return null
  return (
    <>
      <Line label={asset(one)} copy={plainDollars(toCents(net))}>
        <Amount value={net} className="text-2xl font-semibold" />
      </Line>
      <Line label="To" copy={one.destination.address}>
        <code className="font-mono text-sm break-all select-all">{one.destination.address}</code>
      </Line>
      {one.destination.memo && (
        <Line label="Memo (without it the payout is lost)" copy={one.destination.memo}>
          <code className="font-mono text-sm break-all select-all">{one.destination.memo}</code>
        </Line>
      )}
      <QrCode text={one.destination.address} label={`QR code of ${one.destination.address}`} />
    </>
  )
}

type Typed = { txid: string; output: string }

type PaidProps = PayProps & { typed: Typed; onType: (typed: Typed) => void }

/** The hash of the payout once it is made. */
function PaidForm({ review: { transaction, evidence }, typed, onType, onDone }: PaidProps) {
  const paid = useMarkPaid(transaction.id)
  const [tried, setTried] = useState(false)
  const { revision } = transaction
  const txid = typed.txid.trim()
  const output = parseOutput(typed.output)
  const refused = toApiError(paid.error).fields
  const submit = () => {
    setTried(true)
    if (!txid || output === null) return
    const seen = evidence?.at ? { evidenceAt: evidence.at } : {}
    return paid.mutateAsync({ revision, txid, ...(output === undefined ? {} : { vout: output }), ...seen }, { onSuccess: onDone })
  }
  return (
    <Form onSubmit={submit} className="space-y-4 border-t border-line pt-4">
      <StaleNotice seen={revision} now={revision} error={paid.error} onBack={() => paid.reset()} />
      <TextField
        label="Transaction hash of the payout"
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-sm"
        value={typed.txid}
        onChange={(event) => onType({ ...typed, txid: event.target.value })}
        error={tried && !txid ? 'The hash of the payout is required' : refused['txid']}
        hint="A payout marked as paid cannot be changed."
      />
      <OutputField value={typed.output} onChange={(value) => onType({ ...typed, output: value })} tried={tried} refused={refused['vout']} />
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
        <CopyButton text={copy} />
      </div>
    </div>
  )
}
