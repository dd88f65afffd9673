import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router'
import * as z from 'zod/mini'
import { Button, ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { TextField } from '@/components/field'
import { FileDrop } from '@/components/file-drop'
import { Form } from '@/components/form'
import { PICTURE, readAsDataUrl } from '@/lib/files'
import { showFieldErrors } from '@/lib/forms'
import { paths } from '@/lib/paths'
import { methodFieldNames, type MethodFields } from '../api/change-payment-method'

const schema = z.object({
  currency: z.string().check(z.trim(), z.toUpperCase(), z.regex(/^[A-Z0-9]{2,10}$/, 'Use 2 to 10 letters or digits, like BTC')),
  network: z.string().check(z.trim(), z.minLength(2, 'Network is required'), z.maxLength(40, 'At most 40 characters')),
  address: z
    .string()
    .check(z.trim(), z.minLength(10, 'Please enter a valid wallet address'), z.maxLength(128, 'At most 128 characters')),
  memo: z.string().check(z.trim(), z.maxLength(128, 'At most 128 characters')),
  label: z.string().check(z.trim(), z.maxLength(100, 'At most 100 characters')),
})
type Values = z.infer<typeof schema>

const EMPTY: Values = { currency: '', network: '', address: '', memo: '', label: '' }

type MethodFormProps = {
  values?: Values
  submitLabel: string
  /** Sends the fields; a failure is shown by the form. */
  onSave: (fields: MethodFields) => Promise<unknown>
}

/** The fields of a payout address, for adding and for editing. */
export function MethodForm({ values, submitLabel, onSave }: MethodFormProps) {
  const navigate = useNavigate()
  const form = useForm<Values>({ resolver: standardSchemaResolver(schema), defaultValues: values ?? EMPTY })
  const [picture, setPicture] = useState<File | null>(null)
  const { errors } = form.formState

  const submit = form.handleSubmit(async ({ memo, label, ...rest }) => {
    try {
      const image = picture ? { image: await readAsDataUrl(picture) } : {}
      await onSave({ ...rest, memo, label, ...image })
      await navigate(paths.paymentMethods)
    } catch (error) {
      showFieldErrors(error, form.setError, methodFieldNames.slice(0, 5) as (keyof Values)[])
    }
  })

  return (
    <Card className="p-5 sm:p-7">
      <Form onSubmit={submit} className="space-y-5">
        <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
          <TextField label="Currency" placeholder="USDT" className="uppercase placeholder:normal-case" autoComplete="off" error={errors.currency?.message} {...form.register('currency')} />
          <TextField label="Network" placeholder="TRC20" autoComplete="off" error={errors.network?.message} {...form.register('network')} />
        </div>
        <TextField
          label="Wallet address"
          className="font-mono"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          error={errors.address?.message}
          {...form.register('address')}
        />
        <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
          <TextField label="Label" optional placeholder="My hardware wallet" error={errors.label?.message} {...form.register('label')} />
          <TextField label="Memo" optional autoComplete="off" error={errors.memo?.message} {...form.register('memo')} />
        </div>
        <FileDrop
          label="Image (optional)"
          hint="A photo or an image"
          kind={PICTURE}
          file={picture}
          onPick={setPicture}
          onRemove={() => setPicture(null)}
        />
        <div className="flex flex-wrap gap-3 pt-1">
          <Button type="submit" busyLabel="Saving...">
            {submitLabel}
          </Button>
          <ButtonLink to={paths.paymentMethods} variant="ghost">
            Cancel
          </ButtonLink>
        </div>
      </Form>
    </Card>
  )
}
