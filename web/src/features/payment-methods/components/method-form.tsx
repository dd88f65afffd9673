import { useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { Button, ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { SelectField, TextField } from '@/components/field'
import { FileDrop } from '@/components/file-drop'
import { Form } from '@/components/form'
import { PICTURE, readAsDataUrl } from '@/lib/files'
import { showFieldErrors } from '@/lib/forms'
import { addressIn } from '@/lib/pasted-payment'
import { paths } from '@/lib/paths'
import { from, needed, resolverOf, text, trimmed, upTo } from '@/lib/schema'
import { useAddressRefusal } from '@/lib/use-address-refusal'
import type { MethodFields } from '../api/change-payment-method'
import { usePaymentMethods } from '../api/list-payment-methods'

type Values = { network: string; address: string; memo: string; label: string }
const resolver = resolverOf<Values>({
  network: text(trimmed, needed('Choose a network')),
  address: text(addressIn, needed('Enter a wallet address'), from(10, 'Please enter a valid wallet address'), upTo(128)),
  memo: text(trimmed, upTo(128)),
  label: text(trimmed, upTo(100)),
})

/** A currency on a network, as one choice. */
type Rail = { currency: string; network: string }

const nameOf = ({ currency, network }: Rail) => `${currency} on ${network}`

/** What the platform pays out on, and what the address has been saved for. */
function useRails(own: Rail | undefined): Rail[] {
  const { data = [] } = usePaymentMethods()
  const rails = [...(own ? [own] : []), ...data.filter(({ scope }) => scope !== 'personal')]
  return [...new Map(rails.map(({ currency, network }) => [nameOf({ currency, network }), { currency, network }])).values()]
}

type MethodFormProps = {
  values?: Rail & Omit<Values, 'network'>
  submitLabel: string
  /** Sends the fields; a failure is shown by the form. */
  onSave: (fields: MethodFields) => Promise<unknown>
}

/** The fields of a payout address, for adding and for editing. */
export function MethodForm({ values, submitLabel, onSave }: MethodFormProps) {
  const navigate = useNavigate()
  const form = useForm<Values>({
    resolver,
    defaultValues: values ? { ...values, network: nameOf(values) } : { network: '', address: '', memo: '', label: '' },
  })
  const rails = useRails(values)
  const [picture, setPicture] = useState<File | null>(null)
  const { errors } = form.formState
  const [network, address] = useWatch({ control: form.control, name: ['network', 'address'] })
  const rail = rails.find((one) => nameOf(one) === network)
  const addressRefusal = useAddressRefusal(address, rail?.network)

  const submit = form.handleSubmit(async ({ address: to, memo, label }) => {
    if (!rail) return
    try {
      const image = picture ? { image: await readAsDataUrl(picture) } : {}
      await onSave({ ...rail, address: to, memo, label, ...image })
      await navigate(paths.paymentMethods)
    } catch (error) {
      showFieldErrors(error, form.setError, ['network', 'address', 'memo', 'label'])
    }
  })

  return (
    <Card className="p-5 sm:p-7">
      <Form onSubmit={submit} className="space-y-5">
        <SelectField
          label="Network"
          options={rails.map(nameOf)}
          hint="The networks that we pay out on."
          error={errors.network?.message}
          {...form.register('network')}
        />
        <TextField
          label="Wallet address"
          className="font-mono"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          clean={addressIn}
          hint={rail ? `Your ${rail.currency} address on ${rail.network}` : 'Your own address on the chosen network'}
          error={errors.address?.message ?? addressRefusal}
          {...form.register('address')}
        />
        <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
          <TextField label="Label" optional placeholder="My hardware wallet" hint="How you recognize it." error={errors.label?.message} {...form.register('label')} />
          <TextField label="Memo" optional autoComplete="off" hint="Only if your exchange asks for one." error={errors.memo?.message} {...form.register('memo')} />
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
