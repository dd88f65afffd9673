import { SearchX } from 'lucide-react'
import { Suspense, lazy } from 'react'
import { useParams } from 'react-router'
import { ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { Page } from '@/components/page'
import { Skeleton, Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { usePlanPage } from '@/features/investments/api/plan-page'
import { PlanBacking, PlanLabel, PlanPast } from '@/features/investments/components/plan-label'
import { toApiError } from '@/lib/api-error'
import { loadChunk } from '@/lib/load-chunk'
import { paths } from '@/lib/paths'

const PlanChart = lazy(async () => {
  const module = await loadChunk(() => import('@/features/investments/components/plan-chart'))
  return { default: module.PlanChart }
})

/** A plan before the decision: its values with their sources, what it is, what stands behind it, and its past. */
export function PlanPage() {
  const { id = '' } = useParams()
  const { data, isPending, isFetching, error, refetch } = usePlanPage(id)
  if (!data) {
    return (
      <Page title="Plan" back>
        {isPending ? (
          <Skeletons count={2} className="mb-5 h-96 rounded-xl" label="Loading the plan" />
        ) : (
          <Card>{toApiError(error).status === 404 ? <NotFound /> : <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />}</Card>
        )}
      </Page>
    )
  }
  const { plan, facts, backing } = data
  return (
    <Page
      title={plan.title}
      description={plan.subtitle}
      back
      action={plan.active ? <ButtonLink to={paths.invest(plan.id)}>{`Invest in ${plan.title}`}</ButtonLink> : undefined}
    >
      {!plan.active && <p className="mb-5 text-sm text-ink-soft">This plan is no longer offered. Open investments continue.</p>}
      <div className="grid grid-cols-1 items-start gap-4 sm:gap-5 lg:grid-cols-[minmax(0,1.4fr)_minmax(0,1fr)]">
        <div className="grid min-w-0 gap-4 sm:gap-5">
          <Suspense fallback={<Skeleton className="h-96 rounded-xl" />}>
            <PlanChart plan={plan} isOpen />
          </Suspense>
          <PlanBacking backing={backing} />
        </div>
        <div className="grid min-w-0 gap-4 sm:gap-5">
          <PlanLabel plan={plan} />
          <PlanPast plan={plan} facts={facts} />
        </div>
      </div>
    </Page>
  )
}

const NotFound = () => (
  <EmptyState
    icon={SearchX}
    title="Plan not found"
    action={
      <ButtonLink to={paths.plans} variant="secondary">
        All plans
      </ButtonLink>
    }
  />
)
