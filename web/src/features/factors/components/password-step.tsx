import { useState } from 'react'
import { Button, CancelButton } from '@/components/button'
import { Form } from '@/components/form'
import { toApiError } from '@/lib/api-error'
import { useBeginTotp, type NewTotp } from '../api/factors'
import { CurrentPassword } from './current-password'

export function PasswordStep({ onBegun, onCancel }: { onBegun: (begun: NewTotp) => void; onCancel: () => void }) {
  const begin = useBeginTotp()
  const [password, setPassword] = useState('')
  return (
    <Form onSubmit={() => begin.mutateAsync({ password }).then(onBegun)} className="max-w-sm space-y-4">
      <CurrentPassword value={password} onChange={setPassword} error={toApiError(begin.error).fields['password']} />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busyLabel="Checking...">
          Continue
        </Button>
        <CancelButton onClick={onCancel} />
      </div>
    </Form>
  )
}
