import { useParams } from 'react-router'
import { Review } from '@/features/admin-review/components/review'

/** Each transaction starts afresh: no half-typed decision is carried over to the next one. */
export function ReviewPage() {
  const { id = '' } = useParams()
  return <Review key={id} id={id} />
}
