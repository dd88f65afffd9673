import { useForm, useWatch } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { Button, ButtonLink } from '@/components/button'
import { Card, CardHeader } from '@/components/card'
import { PasswordField, SelectField, TextField } from '@/components/field'
import { Form } from '@/components/form'
import { Notice } from '@/components/notice'
import type { User } from '@/lib/api-types'
import countryNames from '@/lib/country-names.json'
import { showFieldErrors } from '@/lib/forms'
import { paths } from '@/lib/paths'
import { anyEmail, anyPhone, required } from '@/lib/rules'
import { profileFieldNames, useUpdateProfile, type ProfileFields } from '../api/change-profile'

/** Name, email, phone and country; the server's rules decide [PROF-02]. */
export function DetailsForm({ user }: { user: User }) {
  const navigate = useNavigate()
  const update = useUpdateProfile(user.id)
  const { name, email, phone, country } = user
  const form = useForm<ProfileFields>({ defaultValues: { name, email, phone, country } })
  const { errors } = form.formState
  const isOther = (typed: string) => typed.trim().toLowerCase() !== email.toLowerCase()
  const changesEmail = isOther(useWatch({ control: form.control, name: 'email' }))
  const submit = form.handleSubmit((fields) =>
    update.mutateAsync(fields).then(
      // The old email stays in force until the code sent to the new one is confirmed.
      () => (isOther(fields.email) ? navigate(paths.verify(fields.email.trim())) : undefined),
      (error: unknown) => showFieldErrors(error, form.setError, profileFieldNames),
    ),
  )
  return (
    <Card>
      <CardHeader title="Personal Information" />
      {user.pendingEmail && (
        <div className="px-5 pt-4 sm:px-6">
          <Notice title={`${user.pendingEmail} is not confirmed yet`}>
            <ButtonLink to={paths.verify(user.pendingEmail)} variant="secondary" size="sm" className="mt-2">
              Enter the code
            </ButtonLink>
          </Notice>
        </div>
      )}
      <Form onSubmit={submit} className="grid grid-cols-1 gap-5 p-5 sm:grid-cols-2 sm:p-6">
        <TextField label="Full Name" autoComplete="name" error={errors.name?.message} {...form.register('name')} />
        <TextField
          label="Email"
          type="email"
          autoComplete="email"
          hint="A new email address takes effect once you enter the code sent to it."
          error={errors.email?.message}
          {...form.register('email', anyEmail)}
        />
        {changesEmail && (
          <PasswordField
            label="Your password"
            autoComplete="current-password"
            hint="Needed to change your email address."
            error={errors.currentPassword?.message}
            {...form.register('currentPassword', {
              ...required('Please enter your password to change your email address'),
              setValueAs: undefined,
              shouldUnregister: true,
            })}
          />
        )}
        <TextField label="Phone Number" type="tel" autoComplete="tel" error={errors.phone?.message} {...form.register('phone', anyPhone)} />
        <SelectField
          label="Country"
          autoComplete="country-name"
          options={countryNames}
          error={errors.country?.message}
          {...form.register('country')}
        />
        <div className="sm:col-span-2">
          <Button type="submit" busyLabel="Saving...">
            Save
          </Button>
        </div>
      </Form>
    </Card>
  )
}
