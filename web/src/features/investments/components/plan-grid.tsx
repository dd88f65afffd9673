import { Layers } from 'lucide-react'
import { Link } from 'react-router'
import { ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import type { Plan } from '@/lib/api-types'
import { formatMoney } from '@/lib/money'
import { paths } from '@/lib/paths'
import { usePlans } from '../api/list-plans'
import { planPath } from '../paths'
import { PlanSparkline } from './plan-sparkline'

const grid = 'grid grid-cols-1 gap-4 sm:gap-5 md:grid-cols-2 2xl:grid-cols-4'

export function PlanGrid() {
  const { data: plans, isPending, isFetching, error, refetch } = usePlans()
  if (isPending) {
    return (
      <div className={grid}>
        <Skeletons count={6} className="h-96 rounded-xl" label="Loading plans" />
      </div>
    )
  }
  if (!plans) {
    return (
      <Card>
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      </Card>
    )
  }
  if (plans.length === 0) {
    return (
      <Card>
        <EmptyState icon={Layers} title="No Plans Available" description="Investment plans are currently being updated" />
      </Card>
    )
  }
  return (
    <div className={grid}>
      {plans.map((plan) => (
        <PlanCard key={plan.id} plan={plan} />
      ))}
    </div>
  )
}

/** A return is a target over the whole duration, and the card says so [D-I2]. */
function PlanCard({ plan }: { plan: Plan }) {
  const { id, title, subtitle, min, max, roi, duration } = plan
  return (
    <Card className="flex flex-col p-5 sm:p-6">
      <h2 className="text-lg font-semibold">{title}</h2>
      <p className="mt-0.5 text-sm text-ink-faint">{subtitle}</p>
      <PlanSparkline planId={id} title={title} />
      <dl className="grid grid-cols-2 gap-4 text-sm sm:grid-cols-4 md:grid-cols-2 lg:grid-cols-4 2xl:grid-cols-2">
        <Term label="Min. Amount" value={formatMoney(min)} />
        <Term label="Max. Amount" value={formatMoney(max)} />
        <Term label="ROI" value={`${roi}%`} />
        <Term label="Duration" value={`${duration} days`} />
      </dl>
      <p className="mt-3 text-xs text-ink-faint">ROI over the whole duration: target, not guaranteed.</p>
      <Link
        to={planPath(id)}
        className="mt-1 mb-3 inline-flex min-h-11 items-center self-start text-sm font-medium text-accent-text hover:underline"
      >
        Holdings, risk and costs<span className="sr-only"> of {title}</span>
      </Link>
      <ButtonLink to={paths.invest(id)} wide className="mt-auto">
        Click to Invest<span className="sr-only"> in {title}</span>
      </ButtonLink>
    </Card>
  )
}

function Term({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt className="text-ink-faint">{label}</dt>
      <dd className="tabular font-semibold">{value}</dd>
    </div>
  )
}
