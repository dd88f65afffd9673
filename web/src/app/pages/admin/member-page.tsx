import { useParams } from 'react-router'
import { BackButton } from '@/components/page'
import { MemberDetails } from '@/features/admin/components/member-details'

export function MemberPage() {
  const { id = '' } = useParams()
  return (
    <>
      <BackButton />
      <MemberDetails key={id} id={id} />
    </>
  )
}
