import { Amount } from '@/components/amount'
import { Badge } from '@/components/badge'
import { Card, CardHeader } from '@/components/card'
import type { Trade } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'
import { formatPercent } from '@/lib/money'
import { useTradeHistory } from '../api/list-trades'
import { profitOf } from './trade-card'

const ENDED: Partial<Record<Trade['status'], string>> = { claimed: 'Claimed', closed: 'Closed', failed: 'Not opened' }

/** Trades that are over, below the live ones; absent while there are none. */
export function TradeHistory() {
  const { data } = useTradeHistory()
  const ended = data?.filter(({ status }) => status in ENDED) ?? []
  if (ended.length === 0) return null
  return (
    <Card className="mt-5 overflow-hidden">
      <CardHeader title="Ended trades" />
      <ul className="mt-3 divide-y divide-line border-t border-line">
        {ended.map((trade) => (
          <EndedTrade key={trade.id} trade={trade} />
        ))}
      </ul>
    </Card>
  )
}

function EndedTrade({ trade }: { trade: Trade }) {
  const { plan, status, amount, currentValue, createdAt, closedAt } = trade
  return (
    <li className="flex items-center justify-between gap-4 px-5 py-3.5 sm:px-6">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {plan.title}
          <Badge>{ENDED[status]}</Badge>
        </p>
        <p className="text-sm text-ink-faint">
          {formatDay(createdAt)}
          {closedAt && ` – ${formatDay(closedAt)}`}
        </p>
      </div>
      {status !== 'failed' && (
        <p className="shrink-0 text-end text-sm text-ink-faint">
          <Amount value={currentValue} className="block text-base font-semibold text-ink" />
          <span className="tabular">{formatPercent(profitOf({ amount, currentValue }).percent, { signed: true })}</span>
        </p>
      )}
    </li>
  )
}
