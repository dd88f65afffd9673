import { Button } from '@/components/button'
import { Notice } from '@/components/notice'
import { toApiError } from '@/lib/api-error'

type StaleProps = { seen: number; now: number; error: unknown; onBack: () => void }

/** Says that the transaction changed since the form was opened: the decision must be taken on the new facts. */
export function StaleNotice({ seen, now, error, onBack }: StaleProps) {
  if (seen === now && toApiError(error).code !== 'STALE_REVISION') return null
  return (
    <div role="alert">
      <Notice tone="caution" title="This transaction has changed meanwhile">
        <p>Nothing was decided. Look at it again, then decide on what you see now.</p>
        <Button variant="secondary" size="sm" className="mt-2" onClick={onBack}>
          Look again
        </Button>
      </Notice>
    </div>
  )
}
