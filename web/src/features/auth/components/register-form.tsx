import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { Button } from '@/components/button'
import { PasswordField, SelectField, TextField } from '@/components/field'
import countryNames from '@/lib/country-names.json'
import { lazyResolver, showFieldErrors } from '@/lib/forms'
import { paths } from '@/lib/paths'
import { registrationFields, useRegister } from '../api/register'
import type { RegistrationValues } from '../schemas'

const resolver = lazyResolver<RegistrationValues>(() => import('../schemas').then((schemas) => schemas.registrationResolver))

export function RegisterForm() {
  const navigate = useNavigate()
  const register = useRegister()
  const form = useForm<RegistrationValues>({ resolver })
  const { errors } = form.formState

  const submit = form.handleSubmit((values) =>
    register.mutateAsync(values).then(
      ({ user }) => navigate(paths.verify(user.email), { replace: true }),
      (error: unknown) => showFieldErrors(error, form.setError, registrationFields),
    ),
  )

  return (
    <form noValidate method="post" onSubmit={(event) => void submit(event)} className="space-y-5">
      <TextField label="Full Name" autoComplete="name" error={errors.name?.message} {...form.register('name')} />
      <TextField label="Email" type="email" autoComplete="email" error={errors.email?.message} {...form.register('email')} />
      <TextField
        label="Phone Number"
        type="tel"
        autoComplete="tel"
        placeholder="+1 234 567 8900"
        error={errors.phone?.message}
        {...form.register('phone')}
      />
      <SelectField
        label="Country"
        autoComplete="country-name"
        options={countryNames}
        error={errors.country?.message}
        {...form.register('country')}
      />
      <PasswordField
        label="Password"
        autoComplete="new-password"
        placeholder="Min 8 characters"
        error={errors.password?.message}
        {...form.register('password')}
      />
      <Button type="submit" size="lg" wide busy={register.isPending} busyLabel="Registering...">
        Register
      </Button>
    </form>
  )
}
