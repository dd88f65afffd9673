import { ExternalLink } from 'lucide-react'
import { Address } from '@/components/address'
import { SignedAmount } from '@/components/amount'
import { StatusBadge } from '@/components/badge'
import { buttonClass } from '@/components/button'
import { Card, CardHeader } from '@/components/card'
import { DetailList, type Detail } from '@/components/detail-list'
import { WithSupport } from '@/components/with-support'
import type { Transaction } from '@/lib/api-types'
import { formatZoned } from '@/lib/dates'
import { treasuryKeys } from '@/lib/brand'
import { formatMoney } from '@/lib/money'
import { useTerms } from '@/lib/terms'
import { aboutAsset, formatAsset, formatRate } from '@/lib/units'
import { usePayments } from '../api/get-payments'
import { isOpenPayment } from '../steps'
import { TransactionIcon } from './transaction-icon'

/** "TNX-" and the first six characters of the id. */
export const referenceOf = (id: string) => `TNX-${id.slice(0, 6)}`

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

const mono = (text: string) => <span className="font-mono text-[0.8125rem] break-all">{text}</span>

/** Where a payment went. Nobody verifies a record, so a build that verifies addresses shows none that could be paid to again. */
const recorded = (address: string) =>
  treasuryKeys.length > 0 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address

/** With a link to the block explorer that the operator has set for the network, if there is one. */
function TransactionHash({ txid, network = '' }: { txid: string; network?: string }) {
  const page = useTerms().data?.explorers?.[network]
  if (!page) return mono(txid)
  return (
    <a href={page.replace('{txid}', encodeURIComponent(txid))} target="_blank" rel="noopener noreferrer" className="text-accent-text hover:underline">
      {mono(txid)}
      <ExternalLink aria-hidden className="ms-1.5 inline size-4" />
      <span className="sr-only">(opens in a new tab)</span>
    </a>
  )
}

/** Kinds on which staff decide. */
const decided = ['deposit', 'course', 'fee', 'withdrawal']

/** What a payment still has to do, or did; a payment that was detected is not to be sent again. */
const asked = { pending: { units: 'Amount to send', address: 'Pay to' }, seen: { units: 'Amount asked', address: 'Paid to' }, success: { units: 'Amount asked', address: 'Paid to' }, failed: { units: 'Amount asked', address: 'Address' } }

/** The facts of the payment beyond the specification's list, shown when the server gives them. Of a withdrawal that failed nothing was charged or paid. */
function paymentFacts(transaction: Transaction, isSeen: boolean) {
  const { kind, status, claimedAmount, amount, feePaid, quote, payout, method, destination, txid, sentAt, decidedAt } = transaction
  const { fee, netAmount } = status === 'failed' ? { fee: null, netAmount: null } : transaction
  const isPayment = kind !== 'withdrawal'
  const labels = asked[isSeen && status === 'pending' ? 'seen' : status]
  const facts: (Detail | false | '' | null | undefined)[] = [
    claimedAmount != null && claimedAmount !== amount && { label: 'Amount you claimed', value: formatMoney(claimedAmount) },
    fee != null && { label: feePaid ? 'Fee (paid separately)' : 'Fee', value: formatMoney(fee) },
    netAmount != null && { label: 'Payout', value: formatMoney(netAmount) },
    quote && isPayment && { label: labels.units, value: formatAsset(quote) },
    quote?.rate && isPayment && { label: 'Rate', value: `${formatRate(quote.rate)}, locked ${formatZoned(quote.at)}` },
    quote && netAmount != null && !payout && { label: 'Estimate', value: aboutAsset(quote) },
    payout && { label: 'Paid out as', value: formatAsset(payout) },
    payout?.rate && { label: 'Rate', value: `${formatRate(payout.rate)}, ${formatZoned(payout.at)}` },
    method && { label: 'Method', value: `${method.currency} · ${method.network}` },
    method && !destination && method.address && { label: labels.address, value: mono(recorded(method.address)) },
    destination && { label: 'Destination', value: <Address>{destination.address}</Address> },
    destination?.memo && { label: 'Memo', value: mono(destination.memo) },
    txid && { label: 'Transaction hash', value: <TransactionHash txid={txid} network={method?.network} /> },
    sentAt && { label: decidedAt ? 'Sent' : 'Sent, not final yet', value: formatZoned(sentAt) },
    decidedAt && decided.includes(kind) && { label: 'Decided', value: formatZoned(decidedAt) },
  ]
  return facts.filter((fact): fact is Detail => Boolean(fact))
}

export function TransactionDetails({ transaction }: { transaction: Transaction }) {
  const { id, title, status, type, amount, createdAt, receipt, user } = transaction
  const { data } = usePayments(id, isOpenPayment(transaction))
  const isSeen = (data?.steps ?? transaction.steps).some(({ key, state }) => key === 'seen' && state === 'done')
  // The reason of a failure stands with its step.
  const description = transaction.steps.at(-1)?.note === transaction.description ? '' : transaction.description
  return (
    <div className="space-y-5">
      <Card>
        <div className="flex flex-col items-center px-6 pt-8 pb-7 text-center">
          <TransactionIcon title={title} />
          <h2 className="mt-3 font-semibold">{title}</h2>
          <SignedAmount value={amount} type={type} status={status} className="mt-1 text-3xl font-semibold" />
          <div className="mt-3">
            <StatusBadge status={status} />
          </div>
          {description && <p className="mt-4 w-full max-w-md text-ink-soft wrap-anywhere"><WithSupport text={description} /></p>}
          {receipt && (
            <a
              href={receipt.url}
              target="_blank"
              rel="noopener noreferrer"
              className={buttonClass({ variant: 'secondary' }, 'mt-5 print:hidden')}
            >
              View Receipt
              <ExternalLink aria-hidden className="size-4" />
              <span className="sr-only">(opens in a new tab)</span>
            </a>
          )}
        </div>
        <div className="border-t border-line px-5 py-2 sm:px-6">
          <DetailList
            items={[
              { label: 'Date', value: formatZoned(createdAt) },
              { label: 'Reference', value: <span className="tabular">{referenceOf(id)}</span> },
              { label: 'Amount', value: <span className="tabular">{formatMoney(amount)}</span> },
              { label: 'Type', value: capital(type) },
              { label: 'Status', value: capital(status) },
              ...paymentFacts(transaction, isSeen),
            ]}
          />
        </div>
      </Card>
      {user && (
        <Card className="pb-2">
          <CardHeader title="Account holder" />
          <div className="mt-2 px-5 sm:px-6">
            <DetailList
              items={[
                { label: 'Name', value: user.name },
                { label: 'Email', value: user.email },
                { label: 'Phone', value: user.phone },
                { label: 'Country', value: user.country },
              ]}
            />
          </div>
        </Card>
      )}
    </div>
  )
}
