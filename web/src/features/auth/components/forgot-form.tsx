import { useForm } from 'react-hook-form'
import { Button } from '@/components/button'
import { TextField } from '@/components/field'
import { lazyResolver, showFieldErrors } from '@/lib/forms'
import { useForgotPassword } from '../api/forgot-password'
import type { ForgotValues } from '../schemas'

const resolver = lazyResolver<ForgotValues>(() => import('../schemas').then((schemas) => schemas.forgotResolver))

export function ForgotForm() {
  const forgot = useForgotPassword()
  const form = useForm<ForgotValues>({ resolver })
  const submit = form.handleSubmit(({ email }) =>
    forgot.mutateAsync(email).then(
      () => form.reset(),
      (error: unknown) => showFieldErrors(error, form.setError, ['email']),
    ),
  )
  return (
    <form noValidate method="post" onSubmit={(event) => void submit(event)} className="space-y-5">
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        hint="A reset link will be sent to your email."
        error={form.formState.errors.email?.message}
        {...form.register('email')}
      />
      <Button type="submit" size="lg" wide busy={forgot.isPending} busyLabel="Sending...">
        Continue
      </Button>
    </form>
  )
}
