import { formatCents, withdrawalFee } from '@/lib/money'
import { useTerms } from '@/lib/terms'

/** Amount, fee and payout while the member types, before anything is sent [D-W2]. */
export function WithdrawalSummary({ amountCents }: { amountCents: number | null }) {
  const percent = useTerms().data?.withdrawal.feePercent
  const fee = amountCents === null || percent === undefined ? null : withdrawalFee(amountCents, percent)
  const rows = [
    { label: 'Taken from your balance', cents: amountCents },
    { label: percent === undefined ? 'Processing fee' : `Processing fee (${percent}%)`, cents: fee },
  ]
  return (
    <dl aria-live="polite" className="rounded-lg bg-sunken px-4 py-3 text-sm">
      {rows.map(({ label, cents }) => (
        <div key={label} className="flex justify-between gap-4 py-1">
          <dt className="text-ink-soft">{label}</dt>
          <dd className="tabular">{cents === null ? '–' : formatCents(cents)}</dd>
        </div>
      ))}
      <div className="mt-1.5 flex justify-between gap-4 border-t border-line pt-2.5 pb-1 text-base font-semibold">
        <dt>You receive</dt>
        <dd className="tabular">{amountCents === null || fee === null ? '–' : formatCents(amountCents - fee)}</dd>
      </div>
    </dl>
  )
}
