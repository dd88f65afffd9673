import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Button } from '@/components/button'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { Notice } from '@/components/notice'
import { showFieldErrors } from '@/lib/forms'
import { email as emailRule } from '@/lib/rules'
import { useForgotPassword } from '../api/forgot-password'

export function ForgotForm() {
  const forgot = useForgotPassword()
  const form = useForm<{ email: string }>()
  const [sentTo, setSentTo] = useState<string>()
  const submit = form.handleSubmit(({ email }) =>
    forgot.mutateAsync(email).then(
      () => {
        form.reset()
        setSentTo(email)
      },
      (error: unknown) => showFieldErrors(error, form.setError, ['email']),
    ),
  )
  return (
    <Form method="post" onSubmit={submit} className="space-y-5">
      <div role="status">
        {sentTo && (
          <Notice>{`If ${sentTo} has an account, a link arrives within minutes. It works for 30 minutes.`}</Notice>
        )}
      </div>
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
