import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Button } from '@/components/button'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { ResendButton } from '@/components/resend-button'
import { showFieldErrors } from '@/lib/forms'
import { email as emailRule } from '@/lib/rules'
import { useForgotPassword } from '../api/forgot-password'

type ForgotFormProps = {
  /** The address that a link was requested for; `undefined` while another one is asked for. */
  sentTo: string | undefined
  onSent: (email: string | undefined) => void
}

export function ForgotForm({ sentTo, onSent }: ForgotFormProps) {
  const forgot = useForgotPassword()
  const form = useForm<{ email: string }>()
  const [sentAt, setSentAt] = useState(0)
  const submit = form.handleSubmit(({ email }) =>
    forgot.mutateAsync(email).then(
      () => {
        setSentAt(Date.now())
        onSent(email)
      },
      (error: unknown) => showFieldErrors(error, form.setError, ['email']),
    ),
  )
  if (sentTo) {
    return (
      <div className="space-y-2 text-center text-sm text-ink-soft">
        <p className="flex flex-wrap items-center justify-center gap-x-1">
          <span>No email yet? Look in the spam folder, too.</span>
          <ResendButton label="Send again" sentAt={sentAt} onResend={() => forgot.mutateAsync(sentTo).catch(() => undefined)} />
        </p>
        <Button variant="secondary" size="lg" wide onClick={() => onSent(undefined)}>
          Use another email
        </Button>
      </div>
    )
  }
  return (
    <Form method="post" onSubmit={submit} className="space-y-5">
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        hint="A reset link will be sent to your email."
        error={form.formState.errors.email?.message}
        {...form.register('email', emailRule)}
      />
      <Button type="submit" size="lg" wide busyLabel="Sending...">
        Continue
      </Button>
    </Form>
  )
}
