import { AdminPage } from '@/features/admin/components/admin-page'
import { IntegrityBoard } from '@/features/admin-ledger/components/integrity-board'

export function IntegrityPage() {
  return (
    <AdminPage title="Integrity">
      <IntegrityBoard />
    </AdminPage>
  )
}
