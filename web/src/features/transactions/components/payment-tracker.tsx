import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import type { ChainPayment } from '@/lib/api-types'
import { formatAsset } from '@/lib/units'
import { usePayments } from '../api/get-payments'

const lost: Record<string, string> = {
  orphaned: 'The payment is not part of the chain at the moment. It usually comes back by itself.',
  replaced: 'The payment was replaced by another transaction of the sender.',
  failed: 'The payment failed on the chain: nothing was transferred.',
}

/** After this time without a look, nothing is known about the chain. */
const UNOBSERVED_MS = 120_000

/** How far a payment is: the number of steps that are done. */
function progress(payment: ChainPayment | undefined) {
  if (!payment) return 0
  return payment.state === 'final' ? 2 : 1
}

/**
 * The way of a payment from the chain to the balance, while it is pending [D-Q7]; `placeholder` while it is loading. Nothing
 * where no chain is observed.
 */
export function PaymentTracker({ id, placeholder }: { id: string; placeholder: ReactNode }) {
  const { data: evidence, dataUpdatedAt, isPending } = usePayments(id)
  if (!evidence) return isPending ? placeholder : null
  const isUnobserved = evidence.at ? dataUpdatedAt - Date.parse(evidence.at) > UNOBSERVED_MS : false
  const payment = evidence.payments[0]
  const problem = payment && lost[payment.state]
  return (
    <Card aria-label="Your payment" className="p-5 sm:p-6">
      <h2 className="font-semibold">Your payment</h2>
      {problem ? (
        <p role="status" className="mt-2 text-sm text-caution">
          {problem}
        </p>
      ) : (
        <Steps payment={payment} />
      )}
      {isUnobserved ? (
        <p className="mt-3 text-sm text-caution">We cannot reach the network at the moment. Your payment is safe, and appears here as soon as we can.</p>
      ) : (
        !payment && <p className="mt-3 text-sm text-ink-faint">A payment of another amount is matched to your deposit during review.</p>
      )}
    </Card>
  )
}

function Steps({ payment }: { payment: ChainPayment | undefined }) {
  const done = progress(payment)
  const counted = payment ? `${payment.confirmations} of ${payment.confirmationsNeeded} confirmations` : 'Confirmation by the network'
  const steps = [
    { name: payment ? 'Payment detected' : 'Waiting for your payment', fact: payment && formatAsset(payment) },
    { name: done > 1 ? 'Confirmed by the network' : counted },
    { name: done > 1 ? 'In review' : 'Review by our team' },
    { name: 'Credited to your balance' },
  ]
  return (
    <div role="status" className="mt-4 text-sm">
      <ol>
        {steps.map(({ name, fact }, at) => (
          <Step key={at} name={name} fact={fact} state={at < done ? 'done' : at === done ? 'current' : 'next'} isLast={at === steps.length - 1} />
        ))}
      </ol>
    </div>
  )
}

const marks = {
  done: 'border-positive bg-positive text-surface',
  current: 'border-accent bg-surface',
  next: 'border-line-control bg-surface',
}

function Step({ name, fact, state, isLast }: { name: string; fact?: string; state: keyof typeof marks; isLast: boolean }) {
  return (
    <li aria-current={state === 'current' ? 'step' : undefined} className="relative flex gap-3 pb-4 last:pb-0">
      {!isLast && <span aria-hidden className={cx('absolute top-5 bottom-0 left-2.5 w-px -translate-x-1/2', state === 'done' ? 'bg-positive' : 'bg-line-control')} />}
      <span aria-hidden className={cx('grid size-5 shrink-0 place-items-center rounded-full border-2', marks[state])}>
        {state === 'done' && <Check className="size-3" strokeWidth={3} />}
        {state === 'current' && <span className="size-2 rounded-full bg-accent" />}
      </span>
      <span className={cx('min-w-0 flex-1', state === 'next' ? 'text-ink-faint' : state === 'current' ? 'font-medium text-ink' : 'text-ink')}>
        {name}
        {state === 'done' && <span className="sr-only">, done</span>}
      </span>
      {fact && <span className="tabular shrink-0 text-ink-soft">{fact}</span>}
    </li>
  )
}
