import { Page } from '@/components/page'
import { AuditTable } from '@/features/admin/components/audit-table'

export function AuditPage() {
  return (
    <Page title="Audit trail" description="What staff did, in the order it happened; rows are chained and never change">
      <AuditTable />
    </Page>
  )
}
