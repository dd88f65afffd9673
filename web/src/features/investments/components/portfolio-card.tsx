import { Link } from 'react-router'
import { Card, CardHeader } from '@/components/card'
import { cx } from '@/components/cx'
import { Progress } from '@/components/progress'
import { Skeleton } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import { formatCents, formatPercent } from '@/lib/money'
import { paths } from '@/lib/paths'
import { useOpenTradesOfAll } from '../api/list-trades'
import { portfolioOf } from '../portfolio'

/** Portfolio Performance of the dashboard [DASH-03]. */
export function PortfolioCard() {
  const { data: trades, isPending, error, refetch, isFetching } = useOpenTradesOfAll()
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
  const isInvested = investedCents > 0
  return (
    <div className="px-5 pt-4 sm:px-6">
      {isInvested ? (
        <p className={cx('tabular text-3xl font-semibold', toneOf(gain))}>
          <span className="signed">{`${gain > 0 ? '+' : ''}${formatCents(gain)}`}</span> <span className="sr-only">profit or loss</span>
        </p>
      ) : (
        <p className="text-lg font-semibold">Nothing invested yet</p>
      )}
      <p className="mt-1 mb-3 text-sm text-ink-faint">
        <span className="tabular font-semibold text-ink">{formatPercent(percent)}</span> <span>of what you invested</span>
      </p>
      <Progress percent={percent} label="Current value over total invested" tone={percent >= 100 ? 'positive' : 'accent'} />
      <dl className="mt-5 grid grid-cols-2 gap-4 text-sm">
        <Figure label="Total investment" value={formatCents(investedCents)} />
        <Figure label="Current value" value={formatCents(valueCents)} />
      </dl>
      {!isInvested && (
        <Link to={paths.plans} className="mt-4 -mb-2 inline-flex min-h-11 items-center text-sm font-semibold text-accent-text hover:underline">
          See the plans
        </Link>
      )}
    </div>
  )
}

const toneOf = (gain: number) => (gain > 0 ? 'text-positive' : gain < 0 ? 'text-negative' : undefined)

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt className="text-ink-faint">{label}</dt>
      <dd className="tabular mt-0.5 text-base font-semibold">{value}</dd>
    </div>
  )
}
