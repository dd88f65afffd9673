import { useForm } from 'react-hook-form'
import { Button } from '@/components/button'
import { Card, CardHeader } from '@/components/card'
import { PasswordField } from '@/components/field'
import { Form } from '@/components/form'
import { showFieldErrors } from '@/lib/forms'
import { password } from '@/lib/rules'
import { passwordFieldNames, useChangePassword } from '../api/change-profile'

export function SecurityForm({ userId }: { userId: string }) {
  const change = useChangePassword(userId)
  const form = useForm({ defaultValues: { oldPassword: '', newPassword: '' } })
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
      <Form onSubmit={submit} className="grid grid-cols-1 gap-5 p-5 sm:grid-cols-2 sm:p-6">
        <PasswordField
          label="Old Password"
          autoComplete="current-password"
          error={errors.oldPassword?.message}
          {...form.register('oldPassword', password('Old password must be at least 8 characters'))}
        />
        <PasswordField
          label="New Password"
          autoComplete="new-password"
          placeholder="Min 8 characters"
          error={errors.newPassword?.message}
          {...form.register('newPassword', password('New password must be at least 8 characters'))}
        />
        <div className="sm:col-span-2">
          <Button type="submit" busyLabel="Saving...">
            Change password
          </Button>
        </div>
      </Form>
    </Card>
  )
}
