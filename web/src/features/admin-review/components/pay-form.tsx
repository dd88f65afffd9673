import { useId, useState, type ReactNode } from 'react'
import { Address } from '@/components/address'
import { Amount } from '@/components/amount'
import { Button } from '@/components/button'
import { Confirmation } from '@/components/confirmation'
import { CopyButton } from '@/components/copy-button'
import { Form } from '@/components/form'
import { Notice } from '@/components/notice'
import { QrCode } from '@/components/qr-code'
import { toApiError } from '@/lib/api-error'
import { formatTime } from '@/lib/dates'
import { formatMoney, plainDollars, toCents } from '@/lib/money'
import { hashIn } from '@/lib/pasted-payment'
import { paymentUri } from '@/lib/payment-uri'
import { useMember } from '@/lib/session'
import { useTerms } from '@/lib/terms'
import { formatAsset, formatRate, formatUnits } from '@/lib/units'
import { useLeasePayout, useMarkPaid } from '../api/review-transaction'
import { useStaffName } from '@/features/admin/api/staff'
import type { Integrity, Review } from '@/features/admin/api/types'
import { useIntegrity } from '@/features/admin/api/get-integrity'
import { verdictOn } from '@/features/admin/verdict'
import { secondsSince } from '@/lib/durations'
import { detected, isOnChain } from '../detected'
import { parseOutput } from '../outputs'
import { useNow } from '@/features/admin/use-now'
import { Blockers } from './blockers'
import { stateOf } from './chain-payments'
import { OtherAmount } from './other-amount'
import { HashField } from './hash-field'
import { OutputField } from './output-field'
import { StaleNotice } from './stale-notice'

type PayProps = { review: Review; onDone: () => void }

/** Where the money goes, once the payout is started: for 15 minutes nobody else pays it [D-B7]. */
export function PayForm({ review, onDone }: PayProps) {
  const { transaction: one, approvedBy, approvedByName } = review
  const me = useMember()
  const staffName = useStaffName()
  // What was typed outlives the lease: anyone who paid too slowly starts again and goes on.
  const [typed, setTyped] = useState<Typed>({})
  // Who reserved it may have sent it before the member owed anything.
  const blockers = (review.blockers ?? []).filter(({ act, code }) => act === 'pay' && !(one.paying && code === 'AMOUNT_OWED'))
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
      ) : blockers.length > 0 ? (
        <Blockers title="It cannot be paid yet" blockers={blockers} />
      ) : one.paying ? (
        <>
          <Lease review={review} until={one.paying.until ?? ''} />
          <Destination review={review} />
          <PaidForm key={one.revision} review={review} typed={typed} onType={setTyped} onDone={onDone} />
        </>
      ) : (
        <>
          <Start review={review} again={Boolean(typed.txid)} />
          {isOnChain(review) && <PaidForm key={one.revision} review={review} typed={typed} onType={setTyped} onDone={onDone} />}
        </>
      )}
    </div>
  )
}

/** Before the start the address is not offered: two people who copy it pay twice. */
function Start({ review: { transaction: one, blockers = [] }, again }: { review: Review; again: boolean }) {
  const why = useId()
  const waits = blockers.filter(({ act }) => act === 'start')
  const lease = useLeasePayout(one.id)
  const { data: books } = useIntegrity()
  const concern = books && whyNotToPay(books)
  return (
    <>
      <div>
        <p className="text-sm text-ink-faint">{label(one)}</p>
        <Exact one={one} />
      </div>
      {again ? (
        <Notice tone="caution" title="Your reservation has expired">
          If you have sent the payment, start again and mark it as paid. If you have not, check that nobody else has sent it.
        </Notice>
      ) : (
        <p className="text-sm text-ink-soft">
          Starting fixes the amount at the rate of the moment, and reserves the payout for you for 15 minutes: no one else can pay or reject it.
        </p>
      )}
      {concern && <Notice tone="caution" title={concern.title}>{concern.text}</Notice>}
      {waits.length > 0 && <Blockers id={why} title="It cannot be started" blockers={waits} />}
      <Button
        wide
        disabled={waits.length > 0 || books?.withdrawals.stopped}
        aria-describedby={waits.length > 0 ? why : undefined}
        onClick={() => lease.mutateAsync({ revision: one.revision }).catch(() => undefined)}
        busyLabel="Starting..."
      >
        Start the payout
      </Button>
    </>
  )
}

/** What speaks against paying now: the verdict that stands on every page of the back office [D-T4]. */
function whyNotToPay(books: Integrity) {
  const { stopped, reason } = books.withdrawals
  if (stopped) return { title: 'Withdrawals are paused', text: reason ?? 'Resuming takes two people.' }
  const verdict = verdictOn(books)
  return verdict.ok ? undefined : verdict
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

/** The units, once they are fixed and somebody is paying them. */
const fixed = ({ payout, paying }: Review['transaction']) => (paying ? payout : undefined)

const label = (one: Review['transaction']) => {
  if (!one.method) return 'Amount'
  return fixed(one) ? `Pay exactly, on ${one.method.network}` : `${one.method.currency} on ${one.method.network}, worth`
}

/** The units that are fixed; before that, the dollars to pay the worth of [D-N4]. */
function Exact({ one }: { one: Review['transaction'] }) {
  const payout = fixed(one)
  const net = one.netAmount ?? one.amount
  if (!payout) return <Amount value={net} className="text-2xl font-semibold" />
  return (
    <>
      <p className="tabular text-xl font-semibold break-words sm:text-2xl">{formatAsset(payout)}</p>
      <p className="text-sm text-ink-faint">
        for <Amount value={net} />
        {payout.rate && ` at ${formatRate(payout.rate)}, fixed at ${formatTime(payout.at)}`}
      </p>
    </>
  )
}

/** What is paid and where, to copy or to scan. */
function Destination({ review: { transaction: one } }: { review: Review }) {
  const { destination, payout } = one
  if (!destination) return null
  const { address, memo } = destination
  const uri = payout ? paymentUri({ ...payout, address }) : address
  return (
    <>
      <Line label={label(one)} copy={payout ? formatUnits(payout.units, payout.decimals) : plainDollars(toCents(one.netAmount ?? one.amount))}>
        <Exact one={one} />
      </Line>
      <Line label="To" copy={address}>
        <code className="text-sm select-all">
          <Address>{address}</Address>
        </code>
      </Line>
      {memo && (
        <Line label="Memo (without it the payout is lost)" copy={memo}>
          <code className="font-mono text-sm break-all select-all">{memo}</code>
        </Line>
      )}
      <QrCode text={uri} label={uri === address ? `QR code of ${address}` : 'QR code of the payment'} />
    </>
  )
}

type Typed = { txid?: string; output?: string }

type PaidProps = PayProps & { typed: Typed; onType: (typed: Typed) => void }

/** What marking as paid says: how much, to whom, where, and whether the chain shows it. */
const payoutFacts = ({ transaction: one, evidence }: Review, txid: string) => ({
  reference: one.reference,
  member: one.user.name,
  pays: one.payout ? `${formatAsset(one.payout)} (${formatMoney(one.netAmount ?? one.amount)})` : formatMoney(one.netAmount ?? one.amount),
  address: one.destination?.address ?? '',
  txid,
  isSeen: !evidence || evidence.payments.some((payment) => bare(payment.txid) === bare(txid)),
})

const bare = (txid: string) => txid.toLowerCase().replace(/^0x/, '')

/** The hash of the payout once it is made. */
function PaidForm({ review, typed, onType, onDone }: PaidProps) {
  const { transaction, evidence } = review
  const paid = useMarkPaid(transaction.id)
  const [tried, setTried] = useState(false)
  const [asking, setAsking] = useState(false)
  const { revision } = transaction
  const found = detected(review)
  const entered = { txid: typed.txid ?? found?.txid ?? '', output: typed.output ?? (typed.txid === undefined && found ? String(found.index) : '') }
  const txid = hashIn(entered.txid)
  const output = parseOutput(entered.output)
  const refused = toApiError(paid.error).fields
  const submit = () => {
    setTried(true)
    if (!txid || output === null) return
    setAsking(true)
  }
  const mark = () => {
    const seen = evidence?.at ? { evidenceAt: evidence.at } : {}
    const request = { revision, txid, ...(typeof output === 'number' ? { vout: output } : {}), ...seen }
    return paid.mutateAsync(request, { onSuccess: onDone, onSettled: () => setAsking(false) })
  }
  return (
    <Form onSubmit={submit} className="space-y-4 border-t border-line pt-4">
      <StaleNotice seen={revision} now={revision} error={paid.error} onBack={() => paid.reset()} />
      {found && (
        <Notice title="The payout was detected on the chain">
          {formatAsset(found)}, {stateOf(found).toLowerCase()}.
        </Notice>
      )}
      <OtherAmount review={review} />
      <HashField
        label="Transaction hash of the payout"
        value={entered.txid}
        onChange={(event) => onType({ ...typed, txid: event.target.value })}
        error={tried && !txid ? 'The hash of the payout is required' : refused['txid']}
        hint="Afterwards, only two treasurers together can correct it."
      />
      <OutputField value={entered.output} onChange={(value) => onType({ ...typed, output: value })} tried={tried} refused={refused['vout']} />
      <Button type="submit" wide busyLabel="Saving...">
        Mark as paid
      </Button>
      <Confirmation
        act="POST /admin/transactions/{id}/paid"
        facts={asking ? payoutFacts(review, txid) : undefined}
        onConfirm={mark}
        onClose={() => setAsking(false)}
      />
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
