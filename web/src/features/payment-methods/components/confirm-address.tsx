import { useState } from 'react'
import { Button } from '@/components/button'
import { CodeForm } from '@/components/code-form'
import type { PaymentMethod } from '@/lib/api-types'
import { useConfirmation } from '@/lib/confirmation'
import { queryKeys } from '@/lib/query-keys'

/** Below a saved address that nothing is paid out to before it is confirmed [D-A4]. */
export function ConfirmAddress({ method }: { method: PaymentMethod }) {
  const [open, setOpen] = useState(false)
  const { confirm, resend } = useConfirmation(`/payment-methods/${method.id}`, queryKeys.paymentMethods)
  return (
    <div className="mt-2 text-sm">
      <p className="text-ink-soft">
        Not confirmed yet. Enter the code we emailed you; withdrawals to this address wait until then.
      </p>
      {open ? (
        <div className="mt-3 max-w-md">
          <CodeForm submitLabel="Confirm address" busyLabel="Confirming..." onCode={confirm} onResend={resend} />
        </div>
      ) : (
        <Button
          variant="secondary"
          size="sm"
          className="mt-2"
          onClick={() => setOpen(true)}
          aria-label={`Enter the code for ${method.label || method.currency}`}
        >
          Enter the code
        </Button>
      )}
    </div>
  )
}
