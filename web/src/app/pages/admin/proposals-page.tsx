import { AdminPage } from '@/features/admin/components/admin-page'
import { ProposalInbox } from '@/features/admin-proposals/components/proposal-inbox'

export function ProposalsPage() {
  return (
    <AdminPage title="Proposals" description="Changes that a second person has to confirm">
      <ProposalInbox />
    </AdminPage>
  )
}
