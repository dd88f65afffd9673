import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Link, useNavigate } from 'react-router'
import { Button } from '@/components/button'
import { PasswordField, TextField } from '@/components/field'
import { Form } from '@/components/form'
import { toApiError } from '@/lib/api-error'
import type { ErrorCode } from '@/lib/api-types'
import { showFieldErrors } from '@/lib/forms'
import { factorCodeIn } from '@/lib/pasted'
import { paths } from '@/lib/paths'
import { email as emailRule, password as passwordRule } from '@/lib/rules'
import { useLogIn, type Credentials, type LoginAnswer } from '../api/log-in'
import { PasskeyLogin } from './passkey-login'

type Factor = { label: string; hint: string }

/** What a login asks for besides the password, by the code of its refusal. */
const factors: Partial<Record<ErrorCode, Factor>> = {
  TOTP_REQUIRED: { label: 'Authenticator code', hint: 'Or a recovery code' },
  PASSKEY_REQUIRED: { label: 'Recovery code', hint: 'This account uses passkeys. Without yours, enter a recovery code.' },
}

/**
 * The fields may be filled before the app has come, so it brings no values of its own.
 * `returnTo`: the protected page the visitor asked for.
 */
export function LoginForm({ returnTo }: { returnTo?: string }) {
  const navigate = useNavigate()
  const logIn = useLogIn()
  const [factor, setFactor] = useState<Factor>()
  const form = useForm<Credentials>()
  const { errors } = form.formState

  const enter = ({ user }: LoginAnswer) =>
    navigate(user.isVerified ? (returnTo ?? paths.dashboard) : paths.verify(user.email), { replace: true })

  const submit = form.handleSubmit(({ email, password, totp }) =>
    logIn.mutateAsync({ email, password, ...(totp ? { totp } : {}) }).then(
      enter,
      (error: unknown) => {
        const { code } = toApiError(error)
        setFactor((asked) => factors[code as ErrorCode] ?? asked)
        showFieldErrors(error, form.setError, ['email', 'password', 'totp'])
      },
    ),
  )

  return (
    <Form method="post" onSubmit={submit} className="space-y-5">
      <TextField label="Email" type="email" autoComplete="username webauthn" error={errors.email?.message} {...form.register('email', emailRule)} />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        error={errors.password?.message}
        {...form.register('password', passwordRule('Password must be at least 8 characters long'))}
      />
      {factor && (
        <TextField
          {...factor}
          autoComplete="one-time-code"
          error={errors.totp?.message}
          {...form.register('totp', { setValueAs: (text?: string) => factorCodeIn(text ?? '') })}
        />
      )}
      <div className="-mt-2 text-end">
        <Link to={paths.forgotPassword} className="text-sm font-medium text-accent-text hover:underline">
          Forgot password?
        </Link>
      </div>
      <Button type="submit" size="lg" wide busyLabel="Logging in...">
        Login
      </Button>
      <PasskeyLogin onLoggedIn={(answer) => void enter(answer)} />
    </Form>
  )
}
