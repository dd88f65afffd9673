import { useEffect, useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { useNavigate, useSearchParams } from 'react-router'
import { Confirmation } from '@/components/confirmation'
import { MoneyField, TextField } from '@/components/field'
import { Form } from '@/components/form'
import { MoneyButton } from '@/components/money-button'
import { parseCents } from '@/lib/amounts'
import { toApiError } from '@/lib/api-error'
import type { PaymentMethod, User } from '@/lib/api-types'
import { dropDraft, readDraft, writeDraft } from '@/lib/draft'
import { showFieldErrors } from '@/lib/forms'
import { formatCents, formatMoney, plainDollars, toCents, withdrawalFee } from '@/lib/money'
import { notify } from '@/lib/notify'
import { addressIn } from '@/lib/pasted-payment'
import { paths } from '@/lib/paths'
import { resolverOf } from '@/lib/schema'
import { useSubmissionKey } from '@/lib/submission'
import { useTerms } from '@/lib/terms'
import { aboutAsset } from '@/lib/units'
import { useAddressRefusal } from '@/lib/use-address-refusal'
import { openId, useQuote, type HeldQuote } from '../api/quotes'
import { useRequestWithdrawal } from '../api/request-withdrawal'
import { addressField, amountField, memoField, methodField } from '../fields'
import { withdrawalRefusal } from '../limits'
import { useSecondsLeft } from '../use-seconds-left'
import { useSettled } from '../use-settled'
import { useSoon } from '../use-soon'
import { MethodGrid, type Methods } from './method-grid'
import { SavedAddresses } from './saved-addresses'
import { TimeNote } from './time-note'
import { WithdrawalSummary } from './withdrawal-summary'

const PROCESSED_WITHIN_MS = 30 * 60_000
/** How long an amount has to stay as it is before something is said against it. */
const PAUSE_MS = 400
const DRAFT = 'withdrawal'

type Values = { amount: string; method: string; address: string; memo: string }
const resolver = resolverOf<Values>({ amount: amountField, method: methodField('Choose a network'), address: addressField, memo: memoField })

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
  const again = useSearchParams()[0].get('amount')
  const withdraw = useRequestWithdrawal()
  const terms = useTerms().data
  const limits = terms?.withdrawal
  const submissionKey = useSubmissionKey()
  const form = useForm<Values>({
    resolver,
    defaultValues: { amount: '', method: '', address: '', memo: '', ...readDraft<Values>(DRAFT), ...(again && { amount: again }) },
  })
  const { errors } = form.formState
  const [amount, method, address] = useWatch({ control: form.control, name: ['amount', 'method', 'address'] })
  const processedBy = useSoon(PROCESSED_WITHIN_MS)
  const [asked, setAsked] = useState<Values>()
  const chosen = methods.data?.find(({ id }) => id === method)
  const own = saved.filter(({ currency, network }) => currency === chosen?.currency && network === chosen.network)
  const cents = parseCents(amount)
  const refusal = withdrawalRefusal(useSettled(cents, PAUSE_MS), terms, user.wallet)
  const isAllowed = withdrawalRefusal(cents, terms, user.wallet) === undefined
  const quote = useQuote({ direction: 'withdrawal', amountCents: isAllowed ? cents : null, method })
  const isLocked = useSecondsLeft(quote?.until ?? 0) > 0
  const addressRefusal = useAddressRefusal(address, chosen?.network)

  useEffect(
    () => form.subscribe({ formState: { values: true }, callback: ({ values }) => writeDraft(DRAFT, values) }),
    [form],
  )

  const fillAddress = (to: PaymentMethod | undefined) => {
    const options = { shouldValidate: form.formState.isSubmitted && to !== undefined }
    form.setValue('address', to?.address ?? '', options)
    form.setValue('memo', to?.memo ?? '', options)
  }

  const select = (id: string) => {
    const next = methods.data?.find((candidate) => candidate.id === id)
    const wasOwn = !address || saved.some((candidate) => candidate.address === address)
    form.setValue('method', id, { shouldValidate: form.formState.isSubmitted })
    if (wasOwn) fillAddress(saved.find(({ currency, network }) => currency === next?.currency && network === next.network))
  }

  const fillMax = () => {
    const most = Math.min(...[user.wallet?.balance ?? 0, limits?.max, limits?.left].filter((value) => value != null).map(toCents))
    form.setValue('amount', plainDollars(most), { shouldValidate: form.formState.isSubmitted })
  }

  const ask = (values: Values) => {
    if (user.isWithdrawalPending) {
      warnPending()
      return onPending?.()
    }
    setAsked(values)
  }

  const send = async ({ amount: typed, method: id, address: to, memo }: Values) => {
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
      // Without an answer the same question stays, to be sent again.
      if (!toApiError(error).isTransient) setAsked(undefined)
    }
  }

  const submit = form.handleSubmit(ask, () => {
    const values = form.getValues()
    if (!values.amount.trim() || !values.method || !values.address.trim()) notify.error('Please fill in all required fields')
  })

  return (
    <Form onSubmit={submit} className="space-y-7">
      <div className="space-y-3">
        <MoneyField
          label="Amount"
          error={errors.amount?.message ?? refusal}
          onMax={user.wallet?.balance && limits ? fillMax : undefined}
          hint={user.wallet ? `Available: ${formatMoney(user.wallet.balance)}` : undefined}
          {...form.register('amount')}
        />
        <WithdrawalSummary amountCents={cents} quote={quote} />
      </div>
      <MethodGrid legend="Network" methods={methods} selected={method} onSelect={select} error={errors.method?.message} />
      <SavedAddresses addresses={own} address={address} onChoose={fillAddress} />
      <TextField
        label="Wallet address"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className="font-mono"
        clean={addressIn}
        hint={chosen ? `Your ${chosen.currency} address on ${chosen.network}` : 'Your own address on the chosen network'}
        error={errors.address?.message ?? addressRefusal}
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
      {method && (
        <TimeNote text="Withdrawal will be processed by" time={processedBy}>
          This is the usual time within business hours. After a change of your email, password or second factor, or a login from a new device,
          payouts may wait longer. Your withdrawal then shows from when on it can be approved.
        </TimeNote>
      )}
      <div>
        <MoneyButton type="submit" size="lg" wide busyLabel="Processing withdrawal..." busy={withdraw.isPending}>
          Request Withdrawal
        </MoneyButton>
        <Confirmation
          act="POST /transactions/withdraw"
          facts={asked && chosen && factsOf(asked, { chosen, quote: isLocked ? quote : undefined, saved, feePercent: limits?.feePercent ?? 0 })}
          onConfirm={() => asked && send(asked)}
          onClose={() => setAsked(undefined)}
        />
      </div>
    </Form>
  )
}

type Around = { chosen: PaymentMethod; quote: HeldQuote | undefined; saved: readonly PaymentMethod[]; feePercent: number }

/** What the question repeats. */
function factsOf({ amount, address, memo }: Values, { chosen, quote, saved, feePercent }: Around) {
  const cents = parseCents(amount) ?? 0
  const fee = withdrawalFee(cents, feePercent)
  const net = formatCents(cents - fee)
  const label = saved.find((one) => one.address === address)?.label
  return {
    amount: formatCents(cents),
    fee: `${formatCents(fee)} (${feePercent}%)`,
    receives: quote ? `${net} in ${chosen.currency} (${aboutAsset(quote)})` : `${net} in ${chosen.currency}`,
    network: `${chosen.currency} on ${chosen.network}`,
    address,
    memo,
    ...(label ? { label } : {}),
  }
}

const warnPending = () =>
  notify.warning('Withdrawal pending already', 'Please pay the pending withdrawal fee to continue')
