/** Asking for the second factor again: a request that needs it fresh waits for it, and is then sent once more [D-A3]. */
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { ApiError, messageOf, toApiError } from '@/lib/api-error'
import { stepUp } from '../api/factors'

const GIVEN_UP = 'Nothing was changed because you did not confirm.'

let open: Promise<void> | undefined

/** Resolves once the factor was given. Requests that come meanwhile share the question. */
export function askForFactor(): Promise<void> {
  open ??= show().finally(() => {
    open = undefined
  })
  return open
}

/** In a root of its own: the question may come from any page, and stays while the page behind changes. */
function show() {
  return new Promise<void>((resolve, reject) => {
    const host = document.body.appendChild(document.createElement('div'))
    const root = createRoot(host)
    const leave = (end: () => void) => {
      root.unmount()
      host.remove()
      end()
    }
    const giveUp = () => reject(new ApiError(GIVEN_UP, undefined, { message: GIVEN_UP }))
    root.render(<StepUpDialog onConfirm={() => leave(resolve)} onCancel={() => leave(giveUp)} />)
  })
}

function StepUpDialog({ onConfirm, onCancel }: { onConfirm: () => void; onCancel: () => void }) {
  const [code, setCode] = useState('')
  const [refusal, setRefusal] = useState<string>()
  const submit = async () => {
    try {
      await stepUp(code.trim())
    } catch (error) {
      return setRefusal(toApiError(error).fields['totp'] ?? messageOf(error))
    }
    onConfirm()
  }
  return (
    <Dialog open onClose={onCancel} title="Confirm it is you">
      <Form noValidate={false} onSubmit={submit} className="space-y-4">
        <p className="text-sm">
          Enter a code from your authenticator app, or a recovery code. We will not ask again for five minutes.
        </p>
        <TextField
          label="Authenticator code"
          autoComplete="one-time-code"
          spellCheck={false}
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
    </Dialog>
  )
}
