import { SearchX } from 'lucide-react'
import { Suspense, lazy } from 'react'
import { Link, useSearchParams } from 'react-router'
import { ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { Page } from '@/components/page'
import { Skeleton, Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { usePlans } from '@/features/investments/api/list-plans'
import { usePlanPage } from '@/features/investments/api/plan-page'
import { useRiskAnswer } from '@/features/investments/api/risk-answer'
import { InvestForm } from '@/features/investments/components/invest-form'
import { RiskPage } from '@/features/investments/components/risk-page'
import { planPath } from '@/features/investments/paths'
import type { Plan, User } from '@/lib/api-types'
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
          <Investing plan={plan} user={user} />
          <div className="min-w-0">
            <Suspense fallback={<Skeleton className="h-96 rounded-xl" />}>
              <PlanChart plan={plan} />
            </Suspense>
            <Link
              to={planPath(plan.id)}
              className="mt-2 inline-flex min-h-11 items-center px-1 text-sm font-medium text-accent-text hover:underline"
            >{`Holdings, risk and costs of ${plan.title}`}</Link>
          </div>
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

/** The form, once the member has read the risk page. */
function Investing({ plan, user }: { plan: Plan; user: User }) {
  const risk = useRiskAnswer()
  const { data: page } = usePlanPage(plan.id)
  if (risk.isPending) return <Skeletons count={1} className="h-130 rounded-xl" label="Loading the form" />
  if (!risk.data) {
    return (
      <Card>
        <ErrorPanel error={risk.error} onRetry={() => void risk.refetch()} busy={risk.isFetching} />
      </Card>
    )
  }
  return risk.data.answeredAt ? <InvestForm plan={plan} user={user} facts={page?.facts} /> : <RiskPage version={risk.data.version} />
}
