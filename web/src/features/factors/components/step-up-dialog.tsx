/** Asking for the second factor again: a request that needs it fresh waits for it, and is then sent once more [D-A3]. */
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Button, CancelButton } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { ApiError, messageOf, toApiError } from '@/lib/api-error'
import type { Totp } from '@/lib/api-types'
import { factorCodeIn } from '@/lib/pasted'
import { knownFactors, stepUp, stepUpByPasskey } from '../api/factors'

const GIVEN_UP = 'Nothing was changed because you did not confirm.'

let open: Promise<void> | undefined

/**
 * Resolves once the factor was given. Concurrent requests share one dialog. `digest`: of a decision of staff,
 * which their passkey signs [D-B3].
 */
export async function askForFactor(digest?: string): Promise<void> {
  if (!digest) {
    open ??= show().finally(() => {
      open = undefined
    })
    return open
  }
  await open?.catch(() => undefined)
  return show(digest)
}

/** Rendered in its own root, because any page may ask, and the dialog stays when the page changes. */
async function show(digest?: string) {
  // Without an answer, a code can still be typed.
  const factors = digest ? undefined : await knownFactors().catch(() => undefined)
  return new Promise<void>((resolve, reject) => {
    const host = document.body.appendChild(document.createElement('div'))
    const root = createRoot(host)
    const leave = (end: () => void) => {
      root.unmount()
      host.remove()
      end()
    }
    const giveUp = () => reject(new ApiError(GIVEN_UP, undefined, { message: GIVEN_UP }))
    const ends = { onConfirm: () => leave(resolve), onCancel: () => leave(giveUp) }
    root.render(digest ? <SigningDialog digest={digest} {...ends} /> : <StepUpDialog factors={factors} {...ends} />)
  })
}

type StepUpDialogProps = { factors?: Totp; onConfirm: () => void; onCancel: () => void }

function StepUpDialog({ factors, onConfirm, onCancel }: StepUpDialogProps) {
  const [code, setCode] = useState('')
  const [refusal, setRefusal] = useState<string>()
  const hasPasskeys = (factors?.passkeys ?? 0) > 0
  const hasAuthenticator = factors?.enrolled !== false || !hasPasskeys
  const submit = async () => {
    try {
      await stepUp(factorCodeIn(code))
    } catch (error) {
      return setRefusal(toApiError(error).fields['totp'] ?? messageOf(error))
    }
    onConfirm()
  }
  return (
    <Dialog open canLeave onClose={onCancel} title="Confirm it is you">
      <Form noValidate={false} onSubmit={submit} className="space-y-4">
        {hasPasskeys && <PasskeyStep onConfirm={onConfirm} />}
        <p className="text-sm">
          {hasPasskeys ? 'Or enter ' : 'Enter '}
          {hasAuthenticator ? 'a code from your authenticator app, or a recovery code.' : 'a recovery code.'} We will not ask
          again for five minutes.
        </p>
        <TextField
          label={hasAuthenticator ? 'Authenticator code' : 'Recovery code'}
          autoComplete="one-time-code"
          spellCheck={false}
          autoFocus={!hasPasskeys}
          required
          value={code}
          onChange={(event) => setCode(event.target.value)}
          error={refusal}
          className="tabular tracking-widest"
        />
        <div className="flex justify-end gap-3">
          <CancelButton onClick={onCancel} />
          <Button type="submit" busyLabel="Checking...">
            Confirm
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

type SigningDialogProps = { digest: string; onConfirm: () => void; onCancel: () => void }

function SigningDialog({ digest, onConfirm, onCancel }: SigningDialogProps) {
  return (
    <Dialog open canLeave onClose={onCancel} title="Sign this decision">
      <div className="space-y-4">
        <p className="text-sm">
          Your passkey signs what you decided. The signature is kept with the decision, as proof that you made it.
        </p>
        <PasskeyStep digest={digest} onConfirm={onConfirm} />
        <div className="flex justify-end">
          <CancelButton onClick={onCancel} />
        </div>
      </div>
    </Dialog>
  )
}

function PasskeyStep({ digest, onConfirm }: { digest?: string; onConfirm: () => void }) {
  const [refusal, setRefusal] = useState<string>()
  const give = async () => {
    setRefusal(undefined)
    try {
      await stepUpByPasskey(digest)
    } catch (error) {
      return setRefusal(messageOf(error))
    }
    onConfirm()
  }
  return (
    <div>
      <Button wide autoFocus icon={<KeyRound aria-hidden className="size-4.5" />} busyLabel="Waiting for your passkey..." onClick={give}>
        {digest ? 'Sign with your passkey' : 'Use a passkey'}
      </Button>
      <p role="alert" className="mt-1.5 text-sm text-negative empty:mt-0">
        {refusal}
      </p>
    </div>
  )
}
