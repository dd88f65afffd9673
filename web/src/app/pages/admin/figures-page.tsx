import { AdminPage } from '@/features/admin/components/admin-page'
import { FiguresBoard } from '@/features/admin-figures/components/figures-board'

export function FiguresPage() {
  return (
    <AdminPage title="Figures" description="Money by the ledger, and how long requests waited. Days are UTC.">
      <FiguresBoard />
    </AdminPage>
  )
}
