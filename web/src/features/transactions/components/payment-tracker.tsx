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

/** The way of a payment from the chain to the balance, while it is pending [D-Q7]. Nothing where no chain is looked at. */
export function PaymentTracker({ id }: { id: string }) {
  const { data: evidence, dataUpdatedAt } = usePayments(id)
  if (!evidence) return null
  const isUnobserved = evidence.at ? dataUpdatedAt - Date.parse(evidence.at) > UNOBSERVED_MS : false
  const payment = evidence.payments[0]
  const problem = payment && lost[payment.state]
  const done = progress(payment)
  const counted = payment && done < 2 ? `${payment.confirmations} of ${payment.confirmationsNeeded} confirmations` : 'Confirmed by the network'
  const steps = [payment ? `Detected: ${formatAsset(payment)}` : 'Waiting for your payment', counted, 'In review', 'Credited']
  return (
    <Card aria-label="Your payment" className="p-5 sm:p-6">
      <h2 className="font-semibold">Your payment</h2>
      {problem ? (
        <p role="status" className="mt-2 text-sm text-caution">
          {problem}
        </p>
      ) : (
        <ol role="status" className="mt-3 space-y-2 text-sm">
          {steps.map((step, at) => (
            <li
              key={at}
              aria-current={at === done ? 'step' : undefined}
              className={cx('tabular', at < done ? 'text-positive' : at === done ? 'font-medium text-ink' : 'text-ink-faint')}
            >
              {at + 1}. {step}
            </li>
          ))}
        </ol>
      )}
      {isUnobserved ? (
        <p className="mt-3 text-sm text-caution">We cannot reach the network at the moment. Your payment is safe, and appears here as soon as we can.</p>
      ) : (
        !payment && <p className="mt-3 text-sm text-ink-faint">A payment of another amount is matched to your deposit during review.</p>
      )}
    </Card>
  )
}
