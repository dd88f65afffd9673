import { Page } from '@/components/page'
import { StaffBoard } from '@/features/admin/components/staff-board'

export function StaffPage() {
  return (
    <Page title="Staff">
      <StaffBoard />
    </Page>
  )
}
