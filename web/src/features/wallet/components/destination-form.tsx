import { useForm, useWatch } from 'react-hook-form'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { Notice } from '@/components/notice'
import type { Transaction } from '@/lib/api-types'
import { showFieldErrors } from '@/lib/forms'
import { addressIn } from '@/lib/pasted-payment'
import { resolverOf } from '@/lib/schema'
import { useAddressRefusal } from '@/lib/use-address-refusal'
import { useSetDestination } from '../api/set-destination'
import { addressField, memoField } from '../fields'

type Values = { address: string; memo: string }
const resolver = resolverOf<Values>({ address: addressField, memo: memoField })

/** For an open withdrawal without a destination. */
export function DestinationForm({ withdrawal }: { withdrawal: Transaction }) {
  const setDestination = useSetDestination()
  const form = useForm<Values>({ resolver, defaultValues: { address: '', memo: '' } })
  const { errors } = form.formState
  const typed = useWatch({ control: form.control, name: 'address' })
  const refusal = useAddressRefusal(typed, withdrawal.method?.network)
  const submit = form.handleSubmit(({ address, memo }) =>
    setDestination
      .mutateAsync({ transactionId: withdrawal.id, address, ...(memo ? { memo } : {}) })
      .catch((error: unknown) => showFieldErrors(error, form.setError, ['address', 'memo'])),
  )
  return (
    <Card className="p-5 sm:p-6">
      <Notice tone="caution" title="This withdrawal needs an address">
        We need an address before we can pay it out. The address cannot be changed afterwards.
      </Notice>
      <Form onSubmit={submit} className="mt-5 space-y-5">
        <TextField
          label="Wallet address"
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          hint={withdrawal.method ? `Your ${withdrawal.method.currency} address on ${withdrawal.method.network}` : undefined}
          clean={addressIn}
          error={errors.address?.message ?? refusal}
          {...form.register('address')}
        />
        <TextField label="Memo" optional autoComplete="off" error={errors.memo?.message} {...form.register('memo')} />
        <Button type="submit" busyLabel="Saving...">
          Save address
        </Button>
      </Form>
    </Card>
  )
}
