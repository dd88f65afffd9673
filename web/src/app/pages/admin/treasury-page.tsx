import { AdminPage } from '@/features/admin/components/admin-page'
import { TreasuryBoard } from '@/features/admin-ledger/components/treasury-board'

export function TreasuryPage() {
  return (
    <AdminPage title="Treasury" description="The operator's own money, what stands behind plans, and what members are owed.">
      <TreasuryBoard />
    </AdminPage>
  )
}
