import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useEffect, useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { useNavigate } from 'react-router'
import * as z from 'zod/mini'
import { MoneyField, TextField } from '@/components/field'
import { Form } from '@/components/form'
import { MoneyButton } from '@/components/money-button'
import type { PaymentMethod, User } from '@/lib/api-types'
import { dropDraft, readDraft, writeDraft } from '@/lib/draft'
import { showFieldErrors } from '@/lib/forms'
import { formatMoney, parseCents, plainDollars, toCents } from '@/lib/money'
import { notify } from '@/lib/notify'
import { paths } from '@/lib/paths'
import { useSubmissionKey } from '@/lib/submission'
import { useTerms } from '@/lib/terms'
import { openId, useQuote } from '../api/quotes'
import { useRequestWithdrawal } from '../api/request-withdrawal'
import { MethodGrid, type Methods } from './method-grid'
import { TimeNote } from './time-note'
import { WithdrawalSummary } from './withdrawal-summary'

const PROCESSED_WITHIN_MS = 30 * 60_000
const DRAFT = 'withdrawal'

const schema = z.object({
  amount: z.string().check(z.refine((text) => parseCents(text) !== null, 'Enter an amount like 250.00')),
  method: z.string().check(z.minLength(1)),
  address: z.string().check(z.trim(), z.minLength(10, 'Please enter a valid wallet address')),
  memo: z.string().check(z.trim(), z.maxLength(128, 'At most 128 characters')),
})
type Values = z.infer<typeof schema>

type WithdrawalFormProps = {
  user: User
  /** The platform's networks. */
  methods: Methods
  /** The member's own addresses, offered for their network. */
  saved: readonly PaymentMethod[]
  /** Shows what can be done about the open withdrawal, beside the warning that there is one. */
  onPending?: () => void
}

export function WithdrawalForm({ user, methods, saved, onPending }: WithdrawalFormProps) {
  const navigate = useNavigate()
  const withdraw = useRequestWithdrawal()
  const limits = useTerms().data?.withdrawal
  const submissionKey = useSubmissionKey()
  const form = useForm<Values>({
    resolver: standardSchemaResolver(schema),
    defaultValues: { amount: '', method: '', address: '', memo: '', ...readDraft<Values>(DRAFT) },
  })
  const { errors } = form.formState
  const [amount, method, address] = useWatch({ control: form.control, name: ['amount', 'method', 'address'] })
  const [processedBy, setProcessedBy] = useState(() => (method ? soon() : null))
  const chosen = methods.data?.find(({ id }) => id === method)
  const quote = useQuote({ direction: 'withdrawal', amountCents: parseCents(amount), method })

  useEffect(
    () => form.subscribe({ formState: { values: true }, callback: ({ values }) => writeDraft(DRAFT, values) }),
    [form],
  )

  const select = (id: string) => {
    const next = methods.data?.find((candidate) => candidate.id === id)
    const own = saved.find(({ currency, network }) => currency === next?.currency && network === next.network)
    const wasOwn = !address || saved.some((candidate) => candidate.address === address)
    form.setValue('method', id, { shouldValidate: form.formState.isSubmitted })
    if (wasOwn) {
      form.setValue('address', own?.address ?? '')
      form.setValue('memo', own?.memo ?? '')
    }
    setProcessedBy(soon())
  }

  const fillMax = () => {
    const most = Math.min(...[user.wallet?.balance ?? 0, limits?.max, limits?.left].filter((value) => value != null).map(toCents))
    form.setValue('amount', plainDollars(most), { shouldValidate: form.formState.isSubmitted })
  }

  const send = async ({ amount: typed, method: id, address: to, memo }: Values) => {
    if (user.isWithdrawalPending) {
      warnPending()
      return onPending?.()
    }
    const quoteId = openId(quote)
    const request = {
      amountCents: parseCents(typed) ?? 0, method: id, address: to, ...(memo ? { memo } : {}), ...(quoteId ? { quoteId } : {}),
    }
    try {
      const { transaction } = await withdraw.mutateAsync({ request, idempotencyKey: submissionKey.for(request) })
      submissionKey.settle()
      dropDraft(DRAFT)
      await navigate(transaction?.needsConfirmation ? paths.transaction(transaction.id) : paths.transactions)
    } catch (error) {
      submissionKey.settle(error)
      showFieldErrors(error, form.setError, ['amount', 'address', 'memo'])
    }
  }

  const submit = form.handleSubmit(send, () => {
    const values = form.getValues()
    if (!values.amount.trim() || !values.method || !values.address.trim()) notify.error('Please fill in all required fields')
  })

  return (
    <Form onSubmit={submit} className="space-y-7">
      <div className="space-y-3">
        <MoneyField
          label="Amount"
          error={amount.trim() ? errors.amount?.message : errors.amount && ''}
          onMax={user.wallet?.balance && limits ? fillMax : undefined}
          hint={user.wallet ? `Available: ${formatMoney(user.wallet.balance)}` : undefined}
          {...form.register('amount')}
        />
        <WithdrawalSummary amountCents={parseCents(amount)} quote={quote} />
      </div>
      <MethodGrid legend="Network" methods={methods} selected={method} onSelect={select} invalid={Boolean(errors.method)} />
      <TextField
        label="Wallet address"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className="font-mono"
        hint={chosen ? `Your ${chosen.currency} address on ${chosen.network}` : 'Your own address on the chosen network'}
        error={address.trim() ? errors.address?.message : errors.address && ''}
        {...form.register('address')}
      />
      <TextField
        label="Memo"
        optional
        autoComplete="off"
        hint="Only if your exchange asks for one."
        error={errors.memo?.message}
        {...form.register('memo')}
      />
      {processedBy && <TimeNote text="Withdrawal will be processed by" time={processedBy} />}
      <MoneyButton type="submit" size="lg" wide busyLabel="Processing withdrawal...">
        Request Withdrawal
      </MoneyButton>
    </Form>
  )
}

const soon = () => new Date(Date.now() + PROCESSED_WITHIN_MS)

const warnPending = () =>
  notify.warning('Withdrawal pending already', 'Please pay the pending withdrawal fee to continue')
