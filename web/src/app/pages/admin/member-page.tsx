import { useParams } from 'react-router'
import { BackLink } from '@/features/admin/components/admin-page'
import { MemberDetails } from '@/features/admin-members/components/member-details'
import { adminPaths } from '@/features/admin/paths'

export function MemberPage() {
  const { id = '' } = useParams()
  return (
    <>
      <BackLink to={adminPaths.members} label="Members" />
      <MemberDetails key={id} id={id} />
    </>
  )
}
