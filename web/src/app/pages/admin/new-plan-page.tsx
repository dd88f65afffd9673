import { useNavigate } from 'react-router'
import { AdminPage } from '@/features/admin/components/admin-page'
import { TermsForm } from '@/features/admin-plans/components/terms-form'
import { adminPaths } from '@/features/admin/paths'

export function NewPlanPage() {
  const navigate = useNavigate()
  return (
    <AdminPage title="Propose a plan" back={{ to: adminPaths.plans, label: 'Plans' }}>
      <div className="max-w-2xl">
        <TermsForm onProposed={() => void navigate(adminPaths.plans)} />
      </div>
    </AdminPage>
  )
}
