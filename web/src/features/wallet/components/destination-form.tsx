import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useForm } from 'react-hook-form'
import * as z from 'zod/mini'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { Notice } from '@/components/notice'
import type { Transaction } from '@/lib/api-types'
import { showFieldErrors } from '@/lib/forms'
import { useSetDestination } from '../api/set-destination'

const schema = z.object({
  address: z.string().check(z.trim(), z.minLength(10, 'Please enter a valid wallet address')),
  memo: z.string().check(z.trim()),
})
type Values = z.infer<typeof schema>

/** For an open withdrawal without a destination. */
export function DestinationForm({ withdrawal }: { withdrawal: Transaction }) {
  const setDestination = useSetDestination()
  const form = useForm<Values>({ resolver: standardSchemaResolver(schema), defaultValues: { address: '', memo: '' } })
  const { errors } = form.formState
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
          error={errors.address?.message}
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
