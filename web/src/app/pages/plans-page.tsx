import { Page } from '@/components/page'
import { PlanComparison } from '@/features/investments/components/plan-comparison'
import { PlanGrid } from '@/features/investments/components/plan-grid'

export function PlansPage() {
  return (
    <Page title="Investment plans" description="Every value is published with its date and source. A return is a target, not a promise.">
      <PlanGrid />
      <PlanComparison />
    </Page>
  )
}
