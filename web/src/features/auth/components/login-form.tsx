import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Link, useNavigate } from 'react-router'
import { Button } from '@/components/button'
import { PasswordField, TextField } from '@/components/field'
import { Form } from '@/components/form'
import { toApiError } from '@/lib/api-error'
import { showFieldErrors } from '@/lib/forms'
import { paths } from '@/lib/paths'
import { email as emailRule, password as passwordRule } from '@/lib/rules'
import { useLogIn, type Credentials } from '../api/log-in'

/**
 * The fields may be filled before the app has come, so it brings no values of its own.
 * `returnTo`: the protected page the visitor asked for.
 */
export function LoginForm({ returnTo }: { returnTo?: string }) {
  const navigate = useNavigate()
  const logIn = useLogIn()
  const [asksForTotp, setAsksForTotp] = useState(false)
  const form = useForm<Credentials>()
  const { errors } = form.formState

  const submit = form.handleSubmit(({ email, password, totp }) =>
    logIn.mutateAsync({ email, password, ...(totp ? { totp } : {}) }).then(
      ({ user }) => navigate(user.isVerified ? (returnTo ?? paths.dashboard) : paths.verify(user.email), { replace: true }),
      (error: unknown) => {
        if (toApiError(error).code === 'TOTP_REQUIRED') setAsksForTotp(true)
        showFieldErrors(error, form.setError, ['email', 'password', 'totp'])
      },
    ),
  )

  return (
    <Form method="post" onSubmit={submit} className="space-y-5">
      <TextField label="Email" type="email" autoComplete="email" error={errors.email?.message} {...form.register('email', emailRule)} />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        error={errors.password?.message}
        {...form.register('password', passwordRule('Password must be at least 8 characters long'))}
      />
      {asksForTotp && (
        <TextField
          label="Authenticator code"
          autoComplete="one-time-code"
          hint="Or a recovery code"
          error={errors.totp?.message}
          {...form.register('totp')}
        />
      )}
      <div className="-mt-2 text-right">
        <Link to={paths.forgotPassword} className="text-sm font-medium text-accent-text hover:underline">
          Forgot password?
        </Link>
      </div>
      <Button type="submit" size="lg" wide busyLabel="Logging in...">
        Login
      </Button>
    </Form>
  )
}
