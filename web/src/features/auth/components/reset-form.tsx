import { Lock } from 'lucide-react'
import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { Button } from '@/components/button'
import { PasswordField } from '@/components/field'
import { lazyResolver, showFieldErrors } from '@/lib/forms'
import { paths } from '@/lib/paths'
import { endSession } from '@/lib/session'
import { useResetPassword } from '../api/forgot-password'
import type { ResetValues } from '../schemas'

const resolver = lazyResolver<ResetValues>(() => import('../schemas').then((schemas) => schemas.resetResolver))

export function ResetForm({ token }: { token: string }) {
  const navigate = useNavigate()
  const reset = useResetPassword()
  const form = useForm<ResetValues>({ resolver, defaultValues: { password: '', confirmPassword: '' } })
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
    <form noValidate onSubmit={(event) => void submit(event)} className="space-y-5">
      <PasswordField
        label="New Password"
        autoComplete="new-password"
        placeholder="Min 8 characters"
        error={errors.password?.message}
        {...form.register('password')}
      />
      <PasswordField
        label="Confirm Password"
        autoComplete="new-password"
        error={errors.confirmPassword?.message}
        {...form.register('confirmPassword')}
      />
      <Button type="submit" size="lg" wide busy={reset.isPending} busyLabel="Resetting Password...">
        Reset Password
      </Button>
      <p className="flex items-center justify-center gap-1.5 text-sm text-ink-faint">
        <Lock aria-hidden className="size-3.5" />
        Passwords are encrypted.
      </p>
    </form>
  )
}
