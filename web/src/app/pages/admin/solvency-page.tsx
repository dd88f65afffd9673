import { AdminPage } from '@/features/admin/components/admin-page'
import { SolvencyBoard } from '@/features/admin-ledger/components/solvency-board'

export function SolvencyPage() {
  return (
    <AdminPage title="Solvency" description="What members are owed beside what is held for them, and whether the books are right.">
      <SolvencyBoard />
    </AdminPage>
  )
}
