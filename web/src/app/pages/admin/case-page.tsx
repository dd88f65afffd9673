import { useParams } from 'react-router'
import { CaseWork } from '@/features/admin-cases/components/case-work'

export function CasePage() {
  const { id = '' } = useParams()
  return <CaseWork key={id} id={id} />
}
