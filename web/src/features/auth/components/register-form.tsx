import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { Button } from '@/components/button'
import { PasswordField, SelectField, TextField } from '@/components/field'
import { Form } from '@/components/form'
import countryNames from '@/lib/country-names.json'
import { showFieldErrors } from '@/lib/forms'
import { paths } from '@/lib/paths'
import { email, password, phone, required } from '@/lib/rules'
import { registrationFields, useRegister, type Registration } from '../api/register'

export function RegisterForm() {
  const navigate = useNavigate()
  const register = useRegister()
  const form = useForm<Registration>()
  const { errors } = form.formState

  const submit = form.handleSubmit((values) =>
    register.mutateAsync(values).then(
      ({ user }) => navigate(paths.verify(user.email), { replace: true, state: { codeSentAt: Date.now() } }),
      (error: unknown) => showFieldErrors(error, form.setError, registrationFields),
    ),
  )

  return (
    <Form method="post" onSubmit={submit} className="space-y-5">
      <TextField label="Full Name" autoComplete="name" error={errors.name?.message} {...form.register('name', required('Name is required'))} />
      <TextField label="Email" type="email" autoComplete="email" error={errors.email?.message} {...form.register('email', email)} />
      <TextField
        label="Phone Number"
        type="tel"
        autoComplete="tel"
        placeholder="+1 234 567 8900"
        error={errors.phone?.message}
        {...form.register('phone', phone('Phone number is required'))}
      />
      <SelectField
        label="Country"
        autoComplete="country-name"
        options={countryNames}
        error={errors.country?.message}
        {...form.register('country', required('Country is required'))}
      />
      <PasswordField
        label="Password"
        autoComplete="new-password"
        placeholder="Min 8 characters"
        error={errors.password?.message}
        {...form.register('password', password('Password must be at least 8 characters long'))}
      />
      <Button type="submit" size="lg" wide busyLabel="Registering...">
        Register
      </Button>
    </Form>
  )
}
