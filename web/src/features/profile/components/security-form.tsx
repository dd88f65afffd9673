import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useForm } from 'react-hook-form'
import * as z from 'zod/mini'
import { Button } from '@/components/button'
import { Card, CardHeader } from '@/components/card'
import { PasswordField } from '@/components/field'
import { showFieldErrors } from '@/lib/forms'
import { password } from '@/lib/rules'
import { passwordFieldNames, useChangePassword } from '../api/change-profile'

const schema = z.object({
  oldPassword: password('Old password must be at least 8 characters'),
  newPassword: password('New password must be at least 8 characters'),
})
type Values = z.infer<typeof schema>

export function SecurityForm({ userId }: { userId: string }) {
  const change = useChangePassword(userId)
  const form = useForm<Values>({
    resolver: standardSchemaResolver(schema),
    defaultValues: { oldPassword: '', newPassword: '' },
  })
  const { errors } = form.formState
  const submit = form.handleSubmit((values) =>
    change.mutateAsync(values).then(
      () => form.reset(),
      (error: unknown) => showFieldErrors(error, form.setError, passwordFieldNames),
    ),
  )
  return (
    <Card>
      <CardHeader title="Security" description="Changing the password ends all your other sessions." />
      <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-5 p-5 sm:grid-cols-2 sm:p-6">
        <PasswordField
          label="Old Password"
          autoComplete="current-password"
          error={errors.oldPassword?.message}
          {...form.register('oldPassword')}
        />
        <PasswordField
          label="New Password"
          autoComplete="new-password"
          placeholder="Min 8 characters"
          error={errors.newPassword?.message}
          {...form.register('newPassword')}
        />
        <div className="sm:col-span-2">
          <Button type="submit" busy={change.isPending} busyLabel="Saving...">
            Change password
          </Button>
        </div>
      </form>
    </Card>
  )
}
