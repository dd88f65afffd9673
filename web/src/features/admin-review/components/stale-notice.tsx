import { Button } from '@/components/button'
import { Notice } from '@/components/notice'
import { toApiError } from '@/lib/api-error'

type StaleProps = { seen: number; now: number; error: unknown; onBack: () => void }

/** Says that the transaction changed since the form was opened: the decision must be taken on the new facts. */
export function StaleNotice({ seen, now, error, onBack }: StaleProps) {
  const { code } = toApiError(error)
  if (seen === now && code !== 'STALE_REVISION' && code !== 'STALE_EVIDENCE') return null
  return (
    <div role="alert">
      <Notice tone="caution" title="This transaction has changed">
        <p>Your decision was not saved. Reload the transaction and decide on its current state.</p>
        <Button variant="secondary" size="sm" className="mt-2" onClick={onBack}>
          Reload
        </Button>
      </Notice>
    </div>
  )
}
