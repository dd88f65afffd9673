import { Card } from '@/components/card'
import { MoneyButton } from '@/components/money-button'
import type { ChainPayment } from '@/lib/api-types'
import { formatMoney } from '@/lib/money'
import { notify } from '@/lib/notify'
import { useSubmissionKey } from '@/lib/submission'
import { formatAsset } from '@/lib/units'
import { useArrivedPayments, useDepositArrived, useRequestedHashes } from '../api/deposit-arrived'

/**
 * What arrived at own addresses of the member; without a request, one press makes a deposit of it [D-N2]. So does what arrived for
 * a request that was rejected: it leaves again as a withdrawal [D-M5].
 */
export function ArrivedPayments({ afterRejection = false }: { afterRejection?: boolean }) {
  const { data: payments = [] } = useArrivedPayments()
  const requested = useRequestedHashes(payments.length > 0)
  return (
    <div role="status" className="empty:hidden">
      {payments.length > 0 && (
        <Card className="mb-5 p-5 sm:p-6">
          <ul className="space-y-5">
            {payments.map((payment) => (
              <li key={`${payment.txid} ${payment.index}`}>
                <p>
                  <span className="font-semibold">{`A payment of ${formatAsset(payment)} arrived`}</span>
                  <span>{payment.value === undefined ? '.' : `, worth ${formatMoney(payment.value)}.`}</span>{' '}
                  <span>{payment.state === 'final' ? 'It is confirmed.' : 'The network is confirming it.'}</span>
                </p>
                {requested.data && <Next payment={payment} isRequested={requested.data.includes(payment.txid)} />}
              </li>
            ))}
          </ul>
          {afterRejection && (
            <p className="mt-4 border-t border-line pt-4 text-sm text-ink-soft">
              To have it returned, deposit it: once it is in your balance, you can withdraw it to an address that you confirm.
            </p>
          )}
        </Card>
      )}
    </div>
  )
}

function Next({ payment, isRequested }: { payment: ChainPayment; isRequested: boolean }) {
  const deposit = useDepositArrived()
  const submissionKey = useSubmissionKey()
  if (isRequested) return <p className="mt-1 text-sm text-ink-soft">Your deposit of it is in review.</p>
  if (!payment.value) return <p className="mt-1 text-sm text-ink-soft">Request a deposit below, and we value it in review.</p>
  const press = async () => {
    try {
      await deposit.mutateAsync({ payment, idempotencyKey: submissionKey.for([payment.txid, payment.index]) })
      submissionKey.settle()
      notify.success('Your deposit is in review')
    } catch (error) {
      submissionKey.settle(error)
    }
  }
  return (
    <div className="mt-3">
      <MoneyButton busyLabel="One moment..." onClick={press}>
        {`Deposit ${formatAsset(payment)}`}
      </MoneyButton>
      <p className="mt-2 text-sm text-ink-soft">
        It is credited with what it was worth when it arrived, once we have reviewed it. If you have already asked for a deposit to this
        address, there is nothing to do.
      </p>
    </div>
  )
}
