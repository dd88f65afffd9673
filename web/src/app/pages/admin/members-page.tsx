import { Page } from '@/components/page'
import { MemberSearch } from '@/features/admin/components/member-search'

export function MembersPage() {
  return (
    <Page title="Members">
      <MemberSearch />
    </Page>
  )
}
