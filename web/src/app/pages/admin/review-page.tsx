import { useParams } from 'react-router'
import { Review } from '@/features/admin-review/components/review'

/** Remounts for each transaction, so that no draft of a decision is carried over to the next one. */
export function ReviewPage() {
  const { id = '' } = useParams()
  return <Review key={id} id={id} />
}
