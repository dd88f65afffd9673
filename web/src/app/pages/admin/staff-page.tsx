import { AdminPage } from '@/features/admin/components/admin-page'
import { OpenProposals } from '@/features/admin-proposals/components/open-proposals'
import { StaffBoard } from '@/features/admin-staff/components/staff-board'

export function StaffPage() {
  return (
    <AdminPage title="Staff">
      <div className="space-y-5">
        <OpenProposals about={({ kind }) => kind.startsWith('staff.')} />
        <StaffBoard />
      </div>
    </AdminPage>
  )
}
