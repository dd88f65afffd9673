import { useState } from 'react'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { FormActions } from '@/components/form-actions'
import { useProveAddress } from '@/features/admin/api/platform-methods'
import { toApiError } from '@/lib/api-error'

/** Attaches what the private key of an address signed: members see that the operator controls it [D-T5]. */
export function ProofForm({ id, onDone }: { id: string; onDone: () => void }) {
  const prove = useProveAddress(id)
  const [message, setMessage] = useState('')
  const [signature, setSignature] = useState('')
  const [tried, setTried] = useState(false)
  const { fields } = toApiError(prove.error)
  const missing = (text: string) => (tried && !text.trim() ? 'This is required' : undefined)
  const submit = () => {
    setTried(true)
    if (!message.trim() || !signature.trim()) return
    return prove.mutateAsync({ message: message.trim(), signature: signature.trim() }, { onSuccess: onDone })
  }
  return (
    <Form onSubmit={submit} className="mt-3 space-y-4">
      <p className="text-sm">
        Sign the message with the wallet that has the private key of the address. Everybody sees both on the page “What we owe and what we
        hold”. Do it again every year.
      </p>
      <TextField
        label="Message"
        autoComplete="off"
        hint="What “payment-method address-proof message” printed."
        value={message}
        onChange={(event) => setMessage(event.target.value)}
        error={missing(message) ?? fields['message']}
      />
      <TextField
        label="Signature"
        className="font-mono text-sm"
        autoComplete="off"
        spellCheck={false}
        hint="What the wallet shows for it."
        value={signature}
        onChange={(event) => setSignature(event.target.value)}
        error={missing(signature) ?? fields['signature']}
      />
      <FormActions submitLabel="Attach" busyLabel="Attaching..." onCancel={onDone} />
    </Form>
  )
}
