import { AdminPage } from '@/features/admin/components/admin-page'
import { MemberSearch } from '@/features/admin-members/components/member-search'

export function MembersPage() {
  return (
    <AdminPage title="Members">
      <MemberSearch />
    </AdminPage>
  )
}
