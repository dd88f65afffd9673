import { Check, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { WithSupport } from '@/components/with-support'
import type { Step, Transaction } from '@/lib/api-types'
import { formatMoment, formatZoned } from '@/lib/dates'
import { newCase } from '@/lib/new-case'
import { paths } from '@/lib/paths'
import { usePayments } from '../api/get-payments'
import { isOpenPayment, nameOf } from '../steps'
import { TakeBack } from './take-back'

/** The way of a transaction, kept after its end as a record [D-M6]. While a payment is open, with what the chain shows. */
export function Journey({ transaction }: { transaction: Transaction }) {
  const { data } = usePayments(transaction.id, isOpenPayment(transaction))
  const steps = data?.steps.length ? data.steps : transaction.steps
  return (
    <Card aria-label="Progress" className="p-5 sm:p-6">
      <h2 className="font-semibold">Progress</h2>
      <div role="status" className="mt-4 text-sm">
        <ol>
          {steps.map((step, at) => (
            <Line key={`${step.key} ${step.at}`} step={step} isLast={at === steps.length - 1} />
          ))}
        </ol>
      </div>
      {canTakeBack(transaction, steps) && <TakeBack id={transaction.id} reference={transaction.reference} />}
      {transaction.status === 'failed' && <Ended transaction={transaction} />}
    </Card>
  )
}

/** A deposit or course payment of which nothing was seen. */
const canTakeBack = ({ kind, status }: Transaction, steps: readonly Step[]) =>
  status === 'pending' && (kind === 'deposit' || kind === 'course') && !steps.some(({ key, state }) => key === 'seen' && state === 'done')

const marks = {
  done: 'border-positive bg-positive text-surface',
  current: 'border-accent bg-surface',
  next: 'border-line-control bg-surface',
  failed: 'border-negative bg-negative text-surface',
}

const tones = { done: 'text-ink', current: 'font-medium text-ink', next: 'text-ink-faint', failed: 'font-medium text-negative' }

function Line({ step, isLast }: { step: Step; isLast: boolean }) {
  const { state, at, note } = step
  return (
    <li aria-current={state === 'current' ? 'step' : undefined} className="relative flex gap-3 pb-4 last:pb-0">
      {!isLast && <span aria-hidden className={cx('absolute top-5 bottom-0 inset-s-2.5 w-px -translate-x-1/2', state === 'done' ? 'bg-positive' : 'bg-line-control')} />}
      <span aria-hidden className={cx('grid size-5 shrink-0 place-items-center rounded-full border-2', marks[state])}>
        {state === 'done' && <Check className="size-3" strokeWidth={3} />}
        {state === 'failed' && <X className="size-3" strokeWidth={3} />}
        {state === 'current' && <span className="size-2 rounded-full bg-accent" />}
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap justify-between gap-x-4">
          <span className={tones[state]}>
            <span>{nameOf(step)}</span>
            {state === 'done' && <span className="sr-only">, done</span>}
          </span>
          {at && (
            <time dateTime={at} className="tabular text-ink-faint">
              {formatMoment(at)}
            </time>
          )}
        </span>
        {note && (
          <span className="block break-words text-ink-soft">
            <WithSupport text={note} />
          </span>
        )}
        <Expected step={step} />
      </span>
    </li>
  )
}

/** The time that the server gives; where it gives none, none is shown. */
function Expected({ step: { key, state, expectedBy } }: { step: Step }) {
  if (!expectedBy || state === 'done') return null
  const text = key === 'waiting' ? `Your payout can be approved from ${formatZoned(expectedBy)}` : `Usually by ${formatZoned(expectedBy)}`
  return <span className="block text-ink-soft">{text}</span>
}

/** What a failure means. */
const meanings: Partial<Record<Transaction['kind'], string>> = {
  deposit: 'Nothing was added to your balance.',
  course: 'The course is not unlocked.',
  fee: 'The fee is deducted from the payout.',
  withdrawal: 'Nothing was paid out.',
}

/** Reasons that people have to look into. */
const forSupport = new Set(['OTHER', 'COMPLIANCE', 'DUPLICATE', 'AMOUNT_MISMATCH', 'WRONG_NETWORK'])

/** The one thing to do after a failure. */
function Ended({ transaction }: { transaction: Transaction }) {
  const { kind, amount, reasonCode } = transaction
  return (
    <div className="mt-4 border-t border-line pt-4 text-sm print:hidden">
      <p className="text-ink-soft">{meanings[kind]}</p>
      <div className="mt-3">{forSupport.has(reasonCode ?? '') ? <Contact transaction={transaction}>Object to this</Contact> : <Again kind={kind} amount={amount} />}</div>
    </div>
  )
}

function Again({ kind, amount }: Pick<Transaction, 'kind' | 'amount'>) {
  if (kind === 'fee') return null
  const to = kind === 'withdrawal' ? `${paths.withdrawals}?amount=${amount}` : kind === 'course' ? paths.buyCourse(amount) : `${paths.deposits}?amount=${amount}`
  return (
    <ButtonLink to={to} variant="secondary" size="sm">
      Request again
    </ButtonLink>
  )
}

/** Opens a case about this transaction. */
const Contact = ({ transaction: { id, kind }, children }: { transaction: Transaction; children: ReactNode }) => (
  <ButtonLink to={newCase(topics[kind] ?? 'other', { kind: 'transaction', reference: id })} variant="secondary" size="sm">
    {children}
  </ButtonLink>
)

const topics: Partial<Record<Transaction['kind'], string>> = { deposit: 'deposit', course: 'course', fee: 'withdrawal', withdrawal: 'withdrawal' }

/** The way to people who help with this transaction. */
export const SomethingWrong = ({ transaction }: { transaction: Transaction }) => (
  <div className="flex flex-wrap items-center justify-between gap-3 px-1 text-sm text-ink-soft print:hidden">
    <span>{`Something wrong? Tell us, with ${transaction.reference}.`}</span>
    <Contact transaction={transaction}>Open a case</Contact>
  </div>
)
