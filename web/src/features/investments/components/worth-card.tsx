import { useQueries, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { Card } from '@/components/card'
import { Skeleton } from '@/components/skeleton'
import { Sparkline } from '@/components/sparkline'
import { ErrorPanel } from '@/components/states'
import type { Trade, Wallet } from '@/lib/api-types'
import { keepHeldPlans } from '@/lib/member-cache'
import { formatCents } from '@/lib/money'
import { daysQuery, useTradesOfDays } from '../api/list-days'
import { planCourseQuery } from '../api/list-plans'
import { worthByDay, worthNow } from '../worth'

/** What everything is worth, and how that came about in 30 days [R3] [DASH-01]. */
export function WorthCard({ wallet }: { wallet: Wallet }) {
  const { worth, error, refetch, isFetching } = useWorth(wallet)
  return (
    <Card className="flex min-h-44 flex-col justify-center p-5 sm:p-6">
      {worth ? (
        <Worth worth={worth} />
      ) : error ? (
        <ErrorPanel error={error} onRetry={refetch} busy={isFetching} />
      ) : (
        <Skeleton className="h-30" />
      )}
    </Card>
  )
}

const plansOf = (trades: readonly Trade[]) => [...new Set(trades.flatMap(({ plan }) => plan.id ?? []))]

function useWorth(wallet: Wallet) {
  const days = useQuery(daysQuery)
  const trades = useTradesOfDays()
  const planIds = plansOf(trades.data ?? [])
  const values = useQueries({
    queries: planIds.map(planCourseQuery),
    combine: (answers) => ({
      byPlan: answers.every(({ data }) => data) ? new Map(planIds.map((id, index) => [id, answers[index]?.data ?? []])) : undefined,
      error: answers.find((one) => one.isError)?.error,
    }),
  })
  const { data: known } = trades
  useEffect(() => {
    if (known) keepHeldPlans(plansOf(known))
  }, [known])
  const worth = useMemo(() => {
    if (!days.data || !trades.data || !values.byPlan) return undefined
    return [...worthByDay(days.data, trades.data, values.byPlan), worthNow(wallet, trades.data)]
  }, [days.data, trades.data, values.byPlan, wallet])
  const refetch = () => void Promise.all([days.refetch(), trades.refetch()])
  return { worth, error: days.error ?? trades.error ?? values.error, refetch, isFetching: days.isFetching || trades.isFetching }
}

function Worth({ worth }: { worth: readonly number[] }) {
  const [first = 0, last = 0] = [worth[0], worth.at(-1)]
  return (
    <section aria-label="Total worth" className="grid items-center gap-x-8 gap-y-4 sm:grid-cols-[auto_minmax(0,1fr)]">
      <div>
        <h2 className="text-sm font-medium text-ink-faint">Total worth</h2>
        <p className="tabular mt-1 text-2xl font-semibold">{formatCents(last)}</p>
        <p className="mt-1 text-sm text-ink-soft">
          {'30 days ago '}
          <span className="tabular">{formatCents(first)}</span>
        </p>
      </div>
      <Sparkline values={worth} label={`Total worth in the last 30 days, from ${formatCents(first)} to ${formatCents(last)}`} />
    </section>
  )
}
