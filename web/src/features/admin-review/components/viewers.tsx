import { Eye } from 'lucide-react'
import { useViewers } from '../api/review-transaction'

/** Who else has this transaction open. */
export function Viewers({ id }: { id: string }) {
  const { data: others = [] } = useViewers(id)
  return (
    <p role="status" className="text-sm">
      {others.length > 0 && (
        <span className="inline-flex items-center gap-1.5 rounded-full bg-caution-soft px-2.5 py-0.5 font-medium text-caution">
          <Eye aria-hidden className="size-4" />
          {others.map(({ name }) => name).join(', ')} {others.length === 1 ? 'is' : 'are'} also viewing this
        </span>
      )}
    </p>
  )
}
