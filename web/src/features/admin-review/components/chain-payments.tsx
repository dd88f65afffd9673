import { Card } from '@/components/card'
import { formatDateTime } from '@/lib/dates'
import { formatMoney } from '@/lib/money'
import { formatAsset } from '@/lib/units'
import type { Evidence } from '@/features/admin/api/types'

const states: Record<string, string> = {
  seen: 'In no block yet',
  final: 'Final',
  orphaned: 'Its block is gone',
  replaced: 'Replaced',
  failed: 'Failed',
}

/** Where a payment is, in words. */
export const stateOf = ({ state, confirmations, confirmationsNeeded }: Evidence['payments'][number]) =>
  states[state] ?? `${confirmations} of ${confirmationsNeeded} confirmations`

/** The payments that the checks are about [D-Q4]. */
export function ChainPayments({ evidence: { at, payments, suggestedAmount } }: { evidence: Evidence }) {
  return (
    <Card aria-label="Payments on the chain" className="px-4 py-3 text-sm">
      <h2 className="font-semibold">Payments on the chain</h2>
      <p className="text-ink-faint">{at ? `As of ${formatDateTime(at)}` : 'Not checked yet'}</p>
      <ul className="divide-y divide-line">
        {payments.map((one) => (
          <li key={`${one.txid} ${one.index}`} className="py-2">
            <p className="tabular font-medium">{formatAsset(one)}</p>
            <p className="text-ink-soft">
              {stateOf(one)}
              {one.seenAt && `, seen ${formatDateTime(one.seenAt)}`}
            </p>
            <p className="font-mono text-[0.8125rem] break-all text-ink-soft">
              {one.txid}, output {one.index}
            </p>
          </li>
        ))}
      </ul>
      {suggestedAmount != null && <p>Worth {formatMoney(suggestedAmount)} at the rate that applies.</p>}
    </Card>
  )
}
