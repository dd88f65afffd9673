import { useState } from 'react'
import { Button } from '@/components/button'
import { CopyButton } from '@/components/copy-button'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { QrCode } from '@/components/qr-code'
import { toApiError } from '@/lib/api-error'
import { factorCodeIn } from '@/lib/pasted'
import { useConfirmTotp, type NewTotp } from '../api/factors'

/** The secret of a new authenticator, and its first code. */
export function SecretStep({ secret, uri, onDone }: NewTotp & { onDone: (codes: readonly string[]) => void }) {
  const confirm = useConfirmTotp()
  const [code, setCode] = useState('')
  const submit = () => confirm.mutateAsync(factorCodeIn(code)).then(({ recoveryCodes }) => onDone(recoveryCodes))
  return (
    <ol className="space-y-6">
      <li>
        <h3 className="font-semibold">1. Scan this with your authenticator app</h3>
        <div className="mt-3 flex flex-wrap items-center gap-5">
          <QrCode text={uri} label="QR code of the authenticator's secret" />
          <div className="min-w-0">
            <p className="text-sm text-ink-faint">Or enter this secret</p>
            <p className="my-1.5 font-mono text-sm break-all select-all">{secret}</p>
            <CopyButton text={secret} success="Secret copied" />
          </div>
        </div>
      </li>
      <li>
        <h3 className="font-semibold">2. Enter the code it shows</h3>
        <Form noValidate={false} onSubmit={submit} className="mt-3 max-w-60 space-y-4">
          <TextField
            label="Authenticator code"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            value={code}
            onChange={(event) => setCode(event.target.value)}
            error={toApiError(confirm.error).fields['code']}
            className="tabular tracking-widest"
          />
          <Button type="submit" busyLabel="Checking...">
            Confirm
          </Button>
        </Form>
      </li>
    </ol>
  )
}
