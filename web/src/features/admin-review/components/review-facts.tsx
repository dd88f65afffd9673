import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Amount } from '@/components/amount'
import { Card } from '@/components/card'
import { CopyButton } from '@/components/copy-button'
import { cx } from '@/components/cx'
import { formatDateTime } from '@/lib/dates'
import { formatAsset, formatRate } from '@/lib/units'
import { useStaffName } from '@/features/admin/api/staff'
import type { Review, StaffTransaction } from '@/features/admin/api/types'
import { adminPaths } from '@/features/admin/paths'
import { reasonsFor } from '../reasons'

/** Who asks for what, and the exact address that the member was shown or named. */
export function ReviewFacts({ review: { transaction: one, wallet, approvedBy, approvedByName } }: { review: Review }) {
  const staffName = useStaffName()
  const isWithdrawal = one.kind === 'withdrawal'
  const isTrade = one.kind === 'trade' || one.kind === 'profit'
  return (
    <Card className="min-w-0 p-4 sm:p-5">
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-4">
        <div>
          <p className="text-sm text-ink-faint">{amountLabel(one)}</p>
          <Amount value={isWithdrawal ? (one.netAmount ?? one.amount) : one.amount} className="text-3xl font-semibold" />
          <p className="mt-0.5 text-sm text-ink-soft">{breakdown(one)}</p>
        </div>
        <div className="min-w-0 sm:grow sm:text-end">
          <Link to={adminPaths.member(one.memberId)} className="font-semibold text-accent-text hover:underline">
            {one.user.name}
          </Link>
          <p className="text-sm break-words text-ink-soft">{one.user.email}</p>
          <p className="text-sm text-ink-faint">
            {one.user.country}
            {one.user.phone && ` · ${one.user.phone}`}
          </p>
        </div>
      </div>
      <dl className="mt-4 grid grid-cols-1 gap-x-8 gap-y-3 border-t border-line pt-4 text-sm sm:grid-cols-2">
        <Address one={one} />
        {one.quote && (
          <Item label={isWithdrawal ? 'Estimate for the member' : 'Asked to send exactly'}>
            <span className="tabular font-semibold">{formatAsset(one.quote)}</span>
            {one.quote.rate && <> at {formatRate(one.quote.rate)}, quoted {formatDateTime(one.quote.at)}</>}
          </Item>
        )}
        {one.payout && (
          <Item label="Pay exactly">
            <span className="tabular font-semibold">{formatAsset(one.payout)}</span>
            {one.payout.rate && <> at {formatRate(one.payout.rate)}, fixed {formatDateTime(one.payout.at)}</>}
          </Item>
        )}
        {one.txid && <Exact label={one.status === 'pending' && !one.sentAt ? 'Transaction hash given by the member' : 'Transaction hash'} text={one.txid} />}
        {one.vout != null && <Item label="Output">{one.vout}</Item>}
        {one.firstApproval && (
          <>
            <Item label="First approval by"><span className="inline-block first-letter:uppercase">{staffName(one.firstApproval.by, one.firstApproval.byName)}</span></Item>
            <Item label="Received, first approval"><Amount value={one.firstApproval.receivedAmount} /></Item>
            <Item label={one.firstApproval.vout == null ? 'Transaction hash, first approval' : `Output ${one.firstApproval.vout} of the transaction hash, first approval`} wide>
              <code className="font-mono text-sm break-all">{one.firstApproval.txid}</code>
            </Item>
          </>
        )}
        <Item label="Requested">{formatDateTime(one.createdAt)}</Item>
        {one.sentAt && <Item label="Sent">{formatDateTime(one.sentAt)}</Item>}
        {one.decidedAt && <Item label="Decided">{formatDateTime(one.decidedAt)}</Item>}
        {approvedBy && <Item label="Approved by"><span className="inline-block first-letter:uppercase">{staffName(approvedBy, approvedByName)}</span></Item>}
        {one.reasonCode && <Item label="Reason">{reasonsFor(one.kind).find(({ code }) => code === one.reasonCode)?.name ?? one.reasonCode}</Item>}
        {one.relatedId && !isTrade && (
          <Item label={one.kind === 'fee' ? 'For withdrawal' : 'Related to'}>
            <Link to={adminPaths.review(one.relatedId)} className="tabular font-medium text-accent-text hover:underline">
              TNX-{one.relatedId.slice(0, 6)}
            </Link>
          </Item>
        )}
        {wallet && (
          <Item label="Member's wallet">
            <Amount value={wallet.balance} /> available, <Amount value={wallet.held} /> held, <Amount value={wallet.invested} /> invested
            {wallet.onHold != null && (
              <>
                , <Amount value={wallet.onHold} /> on hold
              </>
            )}
            {wallet.owed != null && (
              <>
                , <Amount value={wallet.owed} /> owed by the member
              </>
            )}
          </Item>
        )}
      </dl>
    </Card>
  )
}

function amountLabel({ kind, status }: StaffTransaction) {
  if (kind === 'withdrawal') return 'To pay out'
  return status === 'pending' ? 'Claimed by the member' : 'Amount'
}

function breakdown({ kind, amount, fee, feePaid, claimedAmount }: StaffTransaction): ReactNode {
  if (kind === 'withdrawal') {
    return (
      <>
        <Amount value={amount} /> requested, fee <Amount value={fee ?? 0} /> {feePaid ? 'paid separately' : 'deducted'}
      </>
    )
  }
  if (claimedAmount === undefined || claimedAmount === null || claimedAmount === amount) return null
  return (
    <>
      <Amount value={claimedAmount} /> claimed
    </>
  )
}

/** The address in full, never shortened: it is compared character by character. */
function Address({ one }: { one: StaffTransaction }) {
  if (one.kind === 'withdrawal') {
    const label = one.method ? `Destination, ${one.method.currency} on ${one.method.network}` : 'Destination'
    if (!one.destination) return <Item label={label}>The member has not entered an address yet.</Item>
    return (
      <>
        <Exact label={label} text={one.destination.address} />
        {one.destination.memo && <Exact label="Memo" text={one.destination.memo} />}
      </>
    )
  }
  if (!one.method?.address) return null
  return (
    <>
      <Exact label={`Address shown, ${one.method.currency} on ${one.method.network}`} text={one.method.address} />
      {one.method.memo && <Exact label="Memo shown" text={one.method.memo} />}
    </>
  )
}

function Item({ label, wide = false, children }: { label: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={cx('min-w-0', wide && 'sm:col-span-2')}>
      <dt className="text-ink-faint">{label}</dt>
      <dd className="font-medium text-ink">{children}</dd>
    </div>
  )
}

function Exact({ label, text }: { label: string; text: string }) {
  return (
    <div className="min-w-0 sm:col-span-2">
      <dt className="text-ink-faint">{label}</dt>
      <dd className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <code className="min-w-0 font-mono text-sm break-all text-ink select-all">{text}</code>
        <CopyButton text={text} />
      </dd>
    </div>
  )
}
