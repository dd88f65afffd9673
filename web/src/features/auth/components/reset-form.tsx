import { Lock } from 'lucide-react'
import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { Button } from '@/components/button'
import { PasswordField } from '@/components/field'
import { Form } from '@/components/form'
import { showFieldErrors } from '@/lib/forms'
import { paths } from '@/lib/paths'
import { password } from '@/lib/rules'
import { endSession } from '@/lib/session'
import { useResetPassword } from '../api/forgot-password'

type Values = { password: string; confirmPassword: string }

const { validate: isLongEnough } = password('Password must be at least 8 characters long')

export function ResetForm({ token, email }: { token: string; email: string | undefined }) {
  const navigate = useNavigate()
  const reset = useResetPassword()
  const form = useForm<Values>({ defaultValues: { password: '', confirmPassword: '' } })
  const { errors } = form.formState
  const submit = form.handleSubmit((values) =>
    reset.mutateAsync({ ...values, token }).then(
      () => {
        // The server ended every session of the account, this browser's included.
        endSession({ left: true })
        return navigate(paths.login, { replace: true })
      },
      (error: unknown) => showFieldErrors(error, form.setError, ['password', 'confirmPassword']),
    ),
  )
  return (
    <Form onSubmit={submit} className="space-y-5">
      {/* Whose password it is, for the browser that keeps it. */}
      {email && <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />}
      <PasswordField
        label="New Password"
        autoComplete="new-password"
        placeholder="Min 8 characters"
        error={errors.password?.message}
        {...form.register('password', { validate: isLongEnough, deps: 'confirmPassword' })}
      />
      <PasswordField
        label="Confirm Password"
        autoComplete="new-password"
        error={errors.confirmPassword?.message}
        {...form.register('confirmPassword', {
          validate: {
            length: isLongEnough,
            match: (text, values) => text === values.password || 'Passwords do not match',
          },
        })}
      />
      <Button type="submit" size="lg" wide busyLabel="Resetting Password...">
        Reset Password
      </Button>
      <p className="flex items-center justify-center gap-1.5 text-sm text-ink-faint">
        <Lock aria-hidden className="size-3.5" />
        Passwords are encrypted.
      </p>
    </Form>
  )
}
