import { CloudOff } from 'lucide-react'
import { useId } from 'react'
import { useConnection } from '@/lib/connection'
import { Button, type ButtonProps } from './button'

/** A button that moves money. Offline it cannot be pressed, and says why. */
export function MoneyButton(props: ButtonProps) {
  const { isOffline } = useConnection()
  const reason = useId()
  return (
    <>
      <Button {...props} disabled={isOffline || props.disabled} aria-describedby={isOffline ? reason : undefined} />
      {isOffline && (
        <p id={reason} role="status" className="mt-2 flex gap-2 text-sm text-ink-soft">
          <CloudOff aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-faint" />
          You are offline. Money can only be moved with a connection.
        </p>
      )}
    </>
  )
}
