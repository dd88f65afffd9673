import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { Button } from '@/components/button'
import { CodeField } from '@/components/field'
import { Form } from '@/components/form'
import { ResendButton } from '@/components/resend-button'
import { showFieldErrors } from '@/lib/forms'
import { notify } from '@/lib/notify'
import { codeIn } from '@/lib/pasted'
import { paths } from '@/lib/paths'
import { useRefreshUser } from '@/lib/refresh-user'
import { useSession } from '@/lib/session'
import { useResendCode } from '../api/resend-code'
import { useVerifyEmail } from '../api/verify-email'

/** `email` is the one of the address bar; without it nothing is ever sent [AUTH-11]. */
export function VerifyForm({ email, sentAt }: { email: string | null; sentAt?: number }) {
  const navigate = useNavigate()
  const refreshUser = useRefreshUser()
  const verify = useVerifyEmail()
  const resend = useResendCode()
  const form = useForm({ defaultValues: { otp: '' } })

  const finish = async () => {
    if (!useSession.getState().token) return navigate(paths.login, { replace: true })
    await refreshUser()
    return navigate(paths.dashboard, { replace: true })
  }

  const submit = form.handleSubmit(async ({ otp }) => {
    if (!email) return notify.error('Email not found')
    try {
      const { resetToken } = await verify.mutateAsync({ email, otp })
      if (resetToken) {
        // Somebody else may have registered this address: anyone who reads its mailbox sets the password.
        return navigate(`${paths.resetPassword}#token=${encodeURIComponent(resetToken)}`, { replace: true })
      }
      await finish()
    } catch (error) {
      showFieldErrors(error, form.setError, ['otp'])
    }
  })

  return (
    <Form onSubmit={submit} className="space-y-5">
      <CodeField
        error={form.formState.errors.otp?.message}
        {...form.register('otp', {
          setValueAs: codeIn,
          validate: (text) => /^[0-9]{6}$/.test(text) || 'OTP must be 6 digits',
        })}
      />
      <Button type="submit" size="lg" wide busyLabel="Verifying...">
        Verify
      </Button>
      <p className="flex flex-wrap items-center justify-center gap-x-1 text-sm text-ink-soft">
        <span>No code yet?</span>
        {email ? (
          <ResendButton label="Resend" sentAt={sentAt} onResend={() => resend.mutateAsync(email)} />
        ) : (
          <Button variant="ghost" size="sm" onClick={() => notify.error('Email not found')}>
            Resend
          </Button>
        )}
      </p>
    </Form>
  )
}
