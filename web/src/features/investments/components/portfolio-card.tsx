import { Card, CardHeader } from '@/components/card'
import { cx } from '@/components/cx'
import { Progress } from '@/components/progress'
import { Skeleton } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import { formatCents, formatPercent } from '@/lib/money'
import { useTrades } from '../api/list-trades'
import { portfolioOf } from '../portfolio'

/** Portfolio Performance of the dashboard [DASH-03]. */
export function PortfolioCard() {
  const { data: trades, isPending, error, refetch, isFetching } = useTrades()
  return (
    <Card className="pb-6">
      <CardHeader title="Portfolio Performance" description="Current value over total invested" />
      {isPending ? (
        <div className="space-y-4 px-5 pt-5 sm:px-6">
          <Skeleton className="h-10 w-28" />
          <Skeleton className="h-2" />
          <Skeleton className="h-12" />
        </div>
      ) : !trades ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      ) : (
        <Figures {...portfolioOf(trades)} />
      )}
    </Card>
  )
}

function Figures({ percent, investedCents, valueCents }: ReturnType<typeof portfolioOf>) {
  const gain = valueCents - investedCents
  return (
    <div className="px-5 pt-4 sm:px-6">
      <p className="tabular mb-3 text-3xl font-semibold">{formatPercent(percent)}</p>
      <Progress percent={percent} label="Current value over total invested" tone={percent >= 100 ? 'positive' : 'accent'} />
      <dl className="mt-5 grid grid-cols-2 gap-4 text-sm">
        <Figure label="Total investment" value={formatCents(investedCents)} />
        <Figure label="Current value" value={formatCents(valueCents)} />
        <Figure label="Profit/Loss" value={`${gain > 0 ? '+' : ''}${formatCents(gain)}`} tone={gain > 0 ? 'text-positive' : gain < 0 ? 'text-negative' : undefined} />
      </dl>
    </div>
  )
}

function Figure({ label, value, tone }: { label: string; value: string; tone?: string }) {
  return (
    <div>
      <dt className="text-ink-faint">{label}</dt>
      <dd className={cx('tabular signed mt-0.5 text-base font-semibold', tone)}>{value}</dd>
    </div>
  )
}
