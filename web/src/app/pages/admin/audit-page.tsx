import { AdminPage } from '@/features/admin/components/admin-page'
import { AuditTable } from '@/features/admin/components/audit-table'

export function AuditPage() {
  return (
    <AdminPage title="Audit trail" description="What staff did, in the order it happened; rows are chained and never change">
      <AuditTable />
    </AdminPage>
  )
}
