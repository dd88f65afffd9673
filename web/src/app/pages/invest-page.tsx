import { SearchX } from 'lucide-react'
import { Suspense, lazy } from 'react'
import { useSearchParams } from 'react-router'
import { ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { Page } from '@/components/page'
import { Skeleton, Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { usePlans } from '@/features/investments/api/list-plans'
import { InvestForm } from '@/features/investments/components/invest-form'
import { loadChunk } from '@/lib/load-chunk'
import { paths } from '@/lib/paths'
import { useUser } from '@/lib/session'

const PlanChart = lazy(async () => {
  const module = await loadChunk(() => import('@/features/investments/components/plan-chart'))
  return { default: module.PlanChart }
})

export function InvestPage() {
  const [query] = useSearchParams()
  const user = useUser()
  const { data: plans, isPending, isFetching, error, refetch } = usePlans()
  const plan = plans?.find(({ id }) => id === query.get('planId'))
  return (
    <Page title="Invest" back>
      {plan && user ? (
        <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
          <InvestForm plan={plan} user={user} />
          <Suspense fallback={<Skeleton className="h-96 rounded-xl" />}>
            <PlanChart plan={plan} />
          </Suspense>
        </div>
      ) : isPending ? (
        <Skeletons count={1} className="h-96" label="Loading the plan" />
      ) : (
        <Card>
          {plans ? (
            <EmptyState
              icon={SearchX}
              title="Plan not found"
              action={
                <ButtonLink to={paths.plans} variant="secondary">
                  All plans
                </ButtonLink>
              }
            />
          ) : (
            <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
          )}
        </Card>
      )}
    </Page>
  )
}
