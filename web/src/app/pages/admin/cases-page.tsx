import { AdminPage } from '@/features/admin/components/admin-page'
import { CaseInbox } from '@/features/admin-cases/components/case-inbox'

export function CasesPage() {
  return (
    <AdminPage title="Cases" description="What members ask, object to and complain about.">
      <CaseInbox />
    </AdminPage>
  )
}
