import { SearchX } from 'lucide-react'
import { useParams } from 'react-router'
import { EmptyState } from '@/components/states'
import { AdminPage } from '@/features/admin/components/admin-page'
import { useAllPlans } from '@/features/admin/api/plans'
import { Loaded } from '@/features/admin/components/loaded'
import { OpenProposals } from '@/features/admin-proposals/components/open-proposals'
import { TermsForm } from '@/features/admin-plans/components/terms-form'
import { ValueForm } from '@/features/admin-plans/components/value-form'
import { adminPaths } from '@/features/admin/paths'
import { useMay } from '@/features/admin/permissions'
import { PlanChart } from '@/features/investments/components/plan-chart'
import type { Plan } from '@/lib/api-types'

export function PlanPage() {
  const { id = '' } = useParams()
  const query = useAllPlans()
  return (
    <Loaded query={query} label="Loading the plan" count={2} skeleton="h-72">
      {(plans) => {
        const plan = plans.find((one) => one.id === id)
        return plan ? <PlanView key={`${id}-${plan.title}`} plan={plan} /> : <EmptyState icon={SearchX} title="Plan not found" />
      }}
    </Loaded>
  )
}

function PlanView({ plan }: { plan: Plan }) {
  const may = useMay()
  return (
    <AdminPage title={plan.title} description={plan.subtitle} back={{ to: adminPaths.plans, label: 'Plans' }}>
      <div className="space-y-5">
        <OpenProposals about={({ kind, subjectId }) => kind.startsWith('plan.') && subjectId === plan.id} />
        <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-[minmax(0,1fr)_26rem]">
          <div className="min-w-0">
            <PlanChart plan={plan} />
          </div>
          {may('changePlans') && (
            <>
              <div className="xl:row-span-2">
                <ValueForm plan={plan} />
              </div>
              <TermsForm plan={plan} />
            </>
          )}
        </div>
      </div>
    </AdminPage>
  )
}
