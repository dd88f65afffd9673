import { ButtonLink } from '@/components/button'
import { AdminPage } from '@/features/admin/components/admin-page'
import { OpenProposals } from '@/features/admin-proposals/components/open-proposals'
import { PlanList } from '@/features/admin-plans/components/plan-list'
import { adminPaths } from '@/features/admin/paths'
import { useMay } from '@/features/admin/permissions'

export function PlansPage() {
  const may = useMay()
  return (
    <AdminPage title="Plans and values" action={may('changePlans') && <ButtonLink to={adminPaths.newPlan}>Propose a plan</ButtonLink>}>
      <div className="space-y-5">
        <OpenProposals about={({ kind }) => kind.startsWith('plan.')} />
        <PlanList />
      </div>
    </AdminPage>
  )
}
