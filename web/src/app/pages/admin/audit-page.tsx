import { AdminPage } from '@/features/admin/components/admin-page'
import { AuditTable } from '@/features/admin-audit/components/audit-table'

export function AuditPage() {
  return (
    <AdminPage title="Audit log" description="Every action of staff, newest first. Rows are hash-chained and never change.">
      <AuditTable />
    </AdminPage>
  )
}
