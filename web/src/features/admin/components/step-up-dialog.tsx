import { useState } from 'react'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { messageOf, toApiError } from '@/lib/api-error'
import { stepUp, useStepUpRequest } from '../api/step-up'

/** Asks for a fresh code when an action needs one, then lets it go on. */
export function StepUpDialog() {
  const request = useStepUpRequest()
  return (
    <Dialog open={request !== null} onClose={() => request?.cancel()} title="Confirm it is you">
      {request && <CodeForm onConfirm={request.confirm} onCancel={request.cancel} />}
    </Dialog>
  )
}

function CodeForm({ onConfirm, onCancel }: { onConfirm: () => void; onCancel: () => void }) {
  const [code, setCode] = useState('')
  const [refusal, setRefusal] = useState<string>()
  const submit = async () => {
    try {
      await stepUp(code.trim())
      onConfirm()
    } catch (error) {
      setRefusal(toApiError(error).fields['code'] ?? messageOf(error))
    }
  }
  return (
    <Form noValidate={false} onSubmit={submit} className="space-y-4">
      <p className="text-sm">This decision needs a code of your authenticator that is not older than five minutes.</p>
      <TextField
        label="Authenticator code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        required
        value={code}
        onChange={(event) => setCode(event.target.value)}
        error={refusal}
        className="tabular tracking-widest"
      />
      <div className="flex justify-end gap-3">
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" busyLabel="Checking...">
          Confirm
        </Button>
      </div>
    </Form>
  )
}
