import { AdminPage } from '@/features/admin/components/admin-page'
import { StaffBoard } from '@/features/admin/components/staff-board'

export function StaffPage() {
  return (
    <AdminPage title="Staff">
      <StaffBoard />
    </AdminPage>
  )
}
