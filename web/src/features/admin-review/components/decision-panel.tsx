import { Check, Undo2, X } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { Amount } from '@/components/amount'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { Notice } from '@/components/notice'
import { Skeletons } from '@/components/skeleton'
import { formatDateTime, formatZoned } from '@/lib/dates'
import { formatCents, formatMoney, toCents } from '@/lib/money'
import { useMember } from '@/lib/session'
import { formatAsset } from '@/lib/units'
import { useProposeRefund, useProposeReversal } from '../api/review-transaction'
import { useMe } from '@/features/admin/api/get-me'
import { useStaffName } from '@/features/admin/api/staff'
import type { Evidence, Review } from '@/features/admin/api/types'
import { adminPaths } from '@/features/admin/paths'
import { useIncludes, useMay } from '@/features/admin/permissions'
import { useShortcuts } from '@/features/admin/use-shortcuts'
import { isNear } from '../detected'
import { ApproveForm } from './approve-form'
import { Blockers } from './blockers'
import { stateOf } from './chain-payments'
import { NoteButton } from '@/features/admin/components/note-dialog'
import { PayForm } from './pay-form'
import { RejectForm } from './reject-form'
import { ReturnPayment } from './return-payment'
import { SentPayout } from './sent-payout'
import { Kbd } from '@/features/admin/components/shortcut-help'

type PanelProps = { review: Review; onDone: () => void }

type ChoiceProps = PanelProps & {
  /** Has the transaction checked against a payment of the chain, where that can be chosen. */
  onChoose?: (payment: Evidence['payments'][number]) => void
  /** That is going on. */
  isLooking?: boolean
}

/** The decision that is open now, for those whose role may take it. */
export function DecisionPanel({ review, onDone, onChoose, isLooking = false }: ChoiceProps) {
  const may = useMay()
  const includes = useIncludes()
  const decidesFrom = useMe().data?.decidesFrom
  const one = review.transaction
  if (one.status !== 'pending') return <Outcome review={review} />
  if (one.sentAt) return <SentPayout review={review} sentAt={one.sentAt} />
  if (one.approved && may('pay')) return <PayOut review={review} onDone={onDone} />
  if (decidesFrom && includes(one.approved ? 'pay' : 'decide')) {
    return <Notice title={one.approved ? 'Approved, awaiting payout' : 'Awaiting review'}>Your role is new: you can decide this from {formatZoned(decidesFrom)}.</Notice>
  }
  if (one.approved || !may('decide')) {
    return (
      <Notice title={one.approved ? 'Approved, awaiting payout' : 'Awaiting review'}>
        {one.approved ? 'A treasurer marks it as paid, or rejects it if the payout fails.' : 'You can see all details, but your role cannot decide this transaction.'}
      </Notice>
    )
  }
  return <Decide review={review} onDone={onDone} onChoose={onChoose} isLooking={isLooking} />
}

const Panel = ({ children }: { children: ReactNode }) => <Card className="p-4 sm:p-5">{children}</Card>

/** An approved payout may be on its way: only who pays it may end it. */
function PayOut({ review, onDone }: PanelProps) {
  const may = useMay()
  const me = useMember()
  const [failed, setFailed] = useState(false)
  const { paying } = review.transaction
  const isSeen = review.blockers.some(({ code }) => code === 'PAYOUT_SEEN')
  if (failed) {
    return (
      <Panel>
        <RejectForm review={review} onDone={onDone} onBack={() => setFailed(false)} />
      </Panel>
    )
  }
  return (
    <Panel>
      <PayForm review={review} onDone={onDone} />
      {/* What the chain shows at the destination is recorded as paid: rejecting it would be refused. */}
      {may('rejectPayout') && (!paying || paying.by === me.id) && !isSeen && (
        <Button variant="danger" wide className="mt-3" onClick={() => setFailed(true)} icon={<X aria-hidden className="size-4.5" />}>
          Payout failed, reject
        </Button>
      )}
    </Panel>
  )
}

function Decide({ review, onDone, onChoose, isLooking }: ChoiceProps) {
  const [choice, setChoice] = useState<'approve' | 'reject' | null>(null)
  const why = useId()
  const me = useMember()
  const { firstApproval } = review.transaction
  const isOwn = firstApproval?.by === me.id
  const { blockers, candidates } = review
  // Another hash can be entered in the form.
  const canApprove = blockers.every(({ act }) => act === 'hash')
  const concerns = review.checks.filter(({ ok }) => !ok).length
  const [search] = useSearchParams()
  const approve = () => {
    // A match is taken as if its hash had been entered: the form and the checklist say what it is.
    const match = candidates.find(({ value }) => isNear(value, review.transaction.amount))
    if (match) onChoose?.(match)
    setChoice('approve')
  }
  useShortcuts({
    a: canApprove ? approve : undefined,
    r: () => setChoice('reject'),
    Escape: () => setChoice(null),
  })
  const back = () => setChoice(null)

  if (choice === 'approve') {
    return (
      <Panel>
        {isLooking ? (
          <Skeletons count={2} className="h-20" label="Looking at the payment" />
        ) : (
          <ApproveForm key={search.get('txid')} review={review} onDone={onDone} onBack={back} />
        )}
      </Panel>
    )
  }
  if (choice === 'reject') {
    return (
      <Panel>
        <RejectForm review={review} onDone={onDone} onBack={back} />
      </Panel>
    )
  }
  return (
    <Panel>
      <h2 className="text-base font-semibold">Your decision</h2>
      {firstApproval && <SecondReview first={firstApproval} isOwn={isOwn} />}
      <p className="mt-0.5 mb-4 text-sm text-ink-faint">
        {concerns ? `${concerns} of ${review.checks.length} checks need attention.` : 'All checks passed.'}
      </p>
      {blockers.length > 0 && (
        <div className="mb-4">
          <Blockers id={why} title={canApprove ? 'It cannot be approved with this hash' : 'It cannot be approved yet'} blockers={blockers} />
        </div>
      )}
      {candidates.length > 0 && onChoose && <Candidates candidates={candidates} claimed={review.transaction.amount} onChoose={onChoose} />}
      <div className={cx('grid gap-3', concerns ? 'grid-cols-1' : 'grid-cols-2')}>
        <Button variant={concerns ? 'secondary' : 'primary'} onClick={approve} disabled={!canApprove} aria-describedby={canApprove ? undefined : why} icon={<Check aria-hidden className="size-4.5" />}>
          {concerns ? `Approve in spite of ${concerns === 1 ? '1 warning' : `${concerns} warnings`}` : 'Approve'}
          <span aria-hidden className="max-lg:hidden">
            <Kbd>a</Kbd>
          </span>
        </Button>
        <Button variant="danger" onClick={() => setChoice('reject')} icon={<X aria-hidden className="size-4.5" />}>
          Reject
          <span aria-hidden className="max-lg:hidden">
            <Kbd>r</Kbd>
          </span>
        </Button>
      </div>
    </Panel>
  )
}

type Candidate = NonNullable<Review['candidates']>[number]

/** Payments at the address of this request that belong to none, the nearest in value first. */
function Candidates({ candidates, claimed, onChoose }: { claimed: number; candidates: readonly Candidate[]; onChoose: (payment: Candidate) => void }) {
  return (
    <section aria-label="Payments that may be this one" className="mb-4 rounded-md border border-line text-sm">
      <h3 className="px-3 pt-2 font-medium text-ink">Payments at this address that belong to no request</h3>
      <ul className="divide-y divide-line">
        {candidates.map((one, index) => (
          <li key={`${one.txid} ${one.index}`} className="flex items-center justify-between gap-3 px-3 py-2">
            <span className="min-w-0">
              <span className="tabular block font-medium text-ink">
                {formatAsset(one)}
                {index === 0 && isNear(one.value, claimed) && <span className="ms-2 text-xs font-normal text-ink-faint">best match</span>}
              </span>
              <span className="block truncate text-xs text-ink-faint">
                {one.value !== undefined && `${formatMoney(one.value)} · `}
                {stateOf(one)}
                {one.seenAt && `, seen ${formatDateTime(one.seenAt)}`}
              </span>
            </span>
            <Button size="sm" variant="secondary" onClick={() => onChoose(one)} aria-label={`Check against ${formatAsset(one)}, ${one.txid.slice(0, 8)}`}>
              Check
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

type FirstApproval = NonNullable<Review['transaction']['firstApproval']>

/** A large deposit, approved once: what the first reviewer saw is compared, not copied. */
function SecondReview({ first, isOwn }: { first: FirstApproval; isOwn: boolean }) {
  const staffName = useStaffName()
  return (
    <div className="mt-2 mb-3">
      <Notice title="Awaiting second review">
        <span className="inline-block first-letter:uppercase">{staffName(first.by, first.byName)}</span> approved <Amount value={first.receivedAmount} />.{' '}
        {isOwn ? 'Another reviewer has to approve the same payment.' : 'Check the network yourself, then enter the amount and hash you see.'}
      </Notice>
    </div>
  )
}

function Outcome({ review }: { review: Review }) {
  const may = useMay()
  const { transaction: one, reversible, refundable, reversedBy } = review
  if (one.status !== 'success') {
    return (
      <div className="space-y-4">
        <Notice tone="caution" title="Decided: rejected">
          <p>Shown to the member: “{one.description}”</p>
        </Notice>
        <ReturnPayment review={review} />
      </div>
    )
  }
  return (
    <div className="space-y-4">
      <Notice title="Decided: confirmed">
        <p>
          <Amount value={one.amount} /> was posted.{' '}
          {!reversedBy && `Correct a mistake with ${correctionsOf(review)}. Posted transactions cannot be edited.`}
        </p>
        {reversedBy && (
          <p>
            It was {one.kind === 'course' ? 'refunded' : 'reversed'} by{' '}
            <Link to={adminPaths.review(reversedBy)} className="tabular font-medium text-accent-text hover:underline">
              TNX-{reversedBy.slice(0, 6)}
            </Link>
            .
          </p>
        )}
      </Notice>
      {reversible && may('proposeReversal') && <ReversalButton review={review} />}
      {refundable && may('correctBalances') && <RefundButton review={review} />}
    </div>
  )
}

const correctionsOf = ({ reversible, refundable }: Review) =>
  reversible ? 'a reversal or an adjustment' : refundable ? 'a refund or an adjustment' : 'an adjustment'

/** Proposes to pay the course back to the balance [D-C9]. */
function RefundButton({ review: { transaction: one } }: { review: Review }) {
  const refund = useProposeRefund(one.memberId)
  return (
    <NoteButton
      variant="danger"
      wide
      icon={<Undo2 aria-hidden className="size-4.5" />}
      title={`Refund ${one.reference}`}
      explanation={`Once another treasurer confirms it, ${formatMoney(one.amount)} is added to the balance, the course closes for the member, and we email them.`}
      label="Reason"
      submitLabel="Propose"
      action={refund}
    >
      Refund
    </NoteButton>
  )
}

/** Proposes to take the amount back from the balance [D-B9]. */
function ReversalButton({ review: { transaction: one, wallet } }: { review: Review }) {
  const reverse = useProposeReversal(one.id)
  const lacks = toCents(one.amount) - toCents(wallet?.balance ?? 0)
  return (
    <NoteButton
      variant="danger"
      wide
      icon={<Undo2 aria-hidden className="size-4.5" />}
      title={`Reverse ${one.reference}`}
      explanation={
        `${formatMoney(one.amount)} is deducted from the balance once another treasurer confirms it.` +
        (lacks > 0 ? ` The balance does not cover it: the member will owe ${formatCents(lacks)} and cannot spend until that is settled.` : '')
      }
      label="Reason"
      submitLabel="Propose"
      action={reverse}
    >
      Reverse
    </NoteButton>
  )
}
