import { useState } from 'react'
import { Button, CancelButton } from '@/components/button'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { messageOf, toApiError } from '@/lib/api-error'
import { useAddPasskey } from '../api/passkeys'
import { CurrentPassword } from './current-password'

type PasskeyFormProps = {
  asksForPassword: boolean
  onAdded: (recoveryCodes: readonly string[]) => void
  onCancel: () => void
}

/** Names a passkey and has the browser make it. */
export function PasskeyForm({ asksForPassword, onAdded, onCancel }: PasskeyFormProps) {
  const add = useAddPasskey()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const submit = () =>
    add.mutateAsync({ name: name.trim(), ...(asksForPassword ? { password } : {}) }).then(({ recoveryCodes }) => onAdded(recoveryCodes))
  const { fields } = toApiError(add.error)
  return (
    <Form onSubmit={submit} className="max-w-sm space-y-4">
      {asksForPassword && <CurrentPassword value={password} onChange={setPassword} error={fields['password']} />}
      <TextField
        label="Name"
        optional
        hint="So that you recognise it later, such as “Work laptop”."
        autoFocus={!asksForPassword}
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={fields['name']}
      />
      <p role="alert" className="text-sm text-negative empty:hidden">
        {add.error && Object.keys(fields).length === 0 && messageOf(add.error)}
      </p>
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busyLabel="Waiting for your device...">
          Create passkey
        </Button>
        <CancelButton onClick={onCancel} />
      </div>
    </Form>
  )
}
