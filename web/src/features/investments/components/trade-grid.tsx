import { ChartNoAxesCombined } from 'lucide-react'
import { ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { paths } from '@/lib/paths'
import { useTrades } from '../api/list-trades'
import { TradeCard } from './trade-card'

export function TradeGrid() {
  const { data: trades, isPending, isFetching, error, refetch } = useTrades()
  if (isPending) {
    return (
      <div className="grid grid-cols-1 gap-4 sm:gap-5 md:grid-cols-2 xl:grid-cols-3">
        <Skeletons count={4} className="h-76 rounded-xl" label="Loading investments" />
      </div>
    )
  }
  if (!trades) {
    return (
      <Card>
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      </Card>
    )
  }
  if (trades.length === 0) {
    return (
      <Card>
        <EmptyState
          icon={ChartNoAxesCombined}
          title="No Investments Yet"
          description="Choose a plan, and your trades appear here with their current value."
          action={<ButtonLink to={paths.plans}>Browse Investment Plans</ButtonLink>}
        />
      </Card>
    )
  }
  return (
    <ul className="grid grid-cols-1 gap-4 sm:gap-5 md:grid-cols-2 xl:grid-cols-3">
      {trades.map((trade) => (
        <li key={trade.id} className="grid">
          <TradeCard trade={trade} />
        </li>
      ))}
    </ul>
  )
}
