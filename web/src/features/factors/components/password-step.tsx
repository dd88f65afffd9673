import { useState } from 'react'
import { Button } from '@/components/button'
import { PasswordField } from '@/components/field'
import { Form } from '@/components/form'
import { toApiError } from '@/lib/api-error'
import { useBeginTotp, type NewTotp } from '../api/factors'

/** A member's first authenticator takes the password. */
export function PasswordStep({ onBegun, onCancel }: { onBegun: (begun: NewTotp) => void; onCancel: () => void }) {
  const begin = useBeginTotp()
  const [password, setPassword] = useState('')
  return (
    <Form onSubmit={() => begin.mutateAsync({ password }).then(onBegun)} className="max-w-sm space-y-4">
      <PasswordField
        label="Your password"
        autoComplete="current-password"
        autoFocus
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={toApiError(begin.error).fields['password']}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busyLabel="Checking...">
          Continue
        </Button>
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}
