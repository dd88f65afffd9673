import { useNavigate } from 'react-router'
import { Page } from '@/components/page'
import { TermsForm } from '@/features/admin/components/terms-form'
import { adminPaths } from '@/features/admin/paths'

export function NewPlanPage() {
  const navigate = useNavigate()
  return (
    <Page title="Propose a plan" width="form" back>
      <TermsForm onProposed={() => void navigate(adminPaths.plans)} />
    </Page>
  )
}
