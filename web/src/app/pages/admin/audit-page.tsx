import { AdminPage } from '@/features/admin/components/admin-page'
import { AuditTable } from '@/features/admin-audit/components/audit-table'

export function AuditPage() {
  return (
    <AdminPage title="Audit log" description="Staff actions, newest first. Entries are hash-chained and cannot be changed.">
      <AuditTable />
    </AdminPage>
  )
}
