import { AdminPage } from '@/features/admin/components/admin-page'
import { HoldingsBoard } from '@/features/admin-ledger/components/holdings-board'

export function HoldingsPage() {
  return (
    <AdminPage title="Holdings" description="What the platform's addresses hold, compared with the books in units of each asset.">
      <HoldingsBoard />
    </AdminPage>
  )
}
