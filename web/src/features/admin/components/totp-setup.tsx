import { useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { CopyButton } from '@/components/copy-button'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { QrCode } from '@/components/qr-code'
import { messageOf, toApiError } from '@/lib/api-error'
import { useBeginTotp, useConfirmTotp, useMe } from '../api/get-me'

/** The authenticator: how it stands, its enrolment, and the recovery codes, shown once [D-O1]. */
export function TotpSetup() {
  const { data: me } = useMe()
  const begin = useBeginTotp()
  const confirm = useConfirmTotp()
  if (!me) return null
  if (confirm.data) return <RecoveryCodes codes={confirm.data.recoveryCodes} />
  if (begin.data) return <Enrolment {...begin.data} confirm={confirm} />
  return (
    <Card className="p-5 sm:p-6">
      <h2 className="text-base font-semibold">Authenticator</h2>
      <p className="mt-1 text-sm text-ink-soft">
        {me.totp.enrolled
          ? `It is set up. You have ${me.totp.recoveryCodesLeft} recovery codes left.`
          : me.totp.required
            ? 'The back office opens once you have set up an authenticator app. It takes a minute.'
            : 'It is not required here, but you can set one up.'}
      </p>
      <Button
        className="mt-4"
        variant={me.totp.enrolled ? 'secondary' : 'primary'}
        onClick={() => begin.mutateAsync()}
      >
        {me.totp.enrolled ? 'Set up another one' : 'Set up'}
      </Button>
      {begin.isError && (
        <p role="alert" className="mt-3 text-sm text-negative">
          {messageOf(begin.error)}
        </p>
      )}
    </Card>
  )
}

type EnrolmentProps = { secret: string; uri: string; confirm: ReturnType<typeof useConfirmTotp> }

function Enrolment({ secret, uri, confirm }: EnrolmentProps) {
  const [code, setCode] = useState('')
  const submit = () => {
    return confirm.mutateAsync(code.trim())
  }
  return (
    <Card className="p-5 sm:p-6">
      <ol className="space-y-6">
        <li>
          <h2 className="font-semibold">1. Scan this with your authenticator app</h2>
          <div className="mt-3 flex flex-wrap items-center gap-5">
            <QrCode text={uri} label="QR code of the authenticator's secret" />
            <div className="min-w-0">
              <p className="text-sm text-ink-faint">Or type the secret</p>
              <p className="my-1.5 font-mono text-sm break-all select-all">{secret}</p>
              <CopyButton text={secret} success="Secret copied" failure="Copying did not work; select the text instead" />
            </div>
          </div>
        </li>
        <li>
          <h2 className="font-semibold">2. Enter the code that it shows</h2>
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
    </Card>
  )
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <Card className="p-5 sm:p-6">
      <h2 className="text-base font-semibold">Keep these recovery codes</h2>
      <p className="mt-1 text-sm text-ink-soft">
        Each replaces one code of your app, should you lose it. They are shown only now; write them down or keep them in a password
        manager.
      </p>
      <ul className="my-4 grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-md bg-sunken p-4 font-mono text-sm select-all">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <CopyButton text={codes.join('\n')} label="Copy all" success="Recovery codes copied" failure="Copying did not work; select the text instead" />
    </Card>
  )
}
