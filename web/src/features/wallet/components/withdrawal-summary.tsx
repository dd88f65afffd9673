import { formatCents, withdrawalFee } from '@/lib/money'
import { useTerms } from '@/lib/terms'
import { aboutAsset } from '@/lib/units'
import type { HeldQuote } from '../api/quotes'
import { useSecondsLeft } from '../use-seconds-left'
import { QuoteRate } from './quote-lock'

const RATE_OF_PAYOUT = 'This is an estimate: the payout is converted at the rate of the moment we pay it.'

type WithdrawalSummaryProps = { amountCents: number | null; quote?: HeldQuote }

/** Amount, fee and payout while the member types, before anything is sent [D-W2]; with a quote, about what that is in its asset [D-Q1]. */
export function WithdrawalSummary({ amountCents, quote }: WithdrawalSummaryProps) {
  const isCurrent = useSecondsLeft(quote?.until ?? 0) > 0 && quote !== undefined
  const percent = useTerms().data?.withdrawal.feePercent
  const fee = amountCents === null || percent === undefined ? null : withdrawalFee(amountCents, percent)
  const payout = amountCents === null || fee === null ? '–' : formatCents(amountCents - fee)
  const rows = [
    { label: 'Taken from your balance', cents: amountCents },
    { label: percent === undefined ? 'Processing fee' : `Processing fee (${percent}%)`, cents: fee },
  ]
  return (
    <div className="space-y-3">
      <dl aria-live="polite" className="rounded-lg bg-sunken px-4 py-3 text-sm">
        {rows.map(({ label, cents }) => (
          <div key={label} className="flex justify-between gap-4 py-1">
            <dt className="text-ink-soft">{label}</dt>
            <dd translate="no" className="tabular">{cents === null ? '–' : formatCents(cents)}</dd>
          </div>
        ))}
        <div className="mt-1.5 flex justify-between gap-4 border-t border-line pt-2.5 pb-1 text-base font-semibold">
          <dt>You receive</dt>
          <dd className="tabular text-end">
            {payout}
            {isCurrent && <span className="font-normal text-ink-soft"> ({aboutAsset(quote)})</span>}
          </dd>
        </div>
      </dl>
      {isCurrent && (
        <div className="space-y-2 text-sm text-ink-soft">
          <QuoteRate quote={quote} />
          <p>{RATE_OF_PAYOUT}</p>
        </div>
      )}
    </div>
  )
}
