import { useState } from 'react'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { FormActions } from '@/components/form-actions'
import { useSignMethod } from '@/features/admin/api/platform-methods'
import { toApiError } from '@/lib/api-error'
import type { PaymentMethod } from '@/lib/api-types'
import { SIGNATURE_HINT, StatementButton } from './statement-button'

/** Attaches the treasury key's signature to the version in force. */
export function SignatureForm({ method, onDone }: { method: PaymentMethod; onDone: () => void }) {
  const sign = useSignMethod(method.id)
  const [signature, setSignature] = useState('')
  const [tried, setTried] = useState(false)
  const isMissing = tried && !signature.trim()
  const submit = () => {
    setTried(true)
    if (!signature.trim()) return
    return sign.mutateAsync({ version: method.version, signature: signature.trim() }, { onSuccess: onDone })
  }
  return (
    <Form onSubmit={submit} className="mt-3 space-y-4">
      <p className="text-sm">
        Download the statement, compare its address with the wallet, sign it on the offline machine, and enter the signature here.
      </p>
      <StatementButton version={method} />
      <TextField
        label="Signature"
        className="font-mono text-sm"
        autoComplete="off"
        spellCheck={false}
        hint={SIGNATURE_HINT}
        value={signature}
        onChange={(event) => setSignature(event.target.value)}
        error={isMissing ? 'This is required' : toApiError(sign.error).fields['signature']}
      />
      <FormActions submitLabel="Attach" busyLabel="Attaching..." onCancel={onDone} />
    </Form>
  )
}
