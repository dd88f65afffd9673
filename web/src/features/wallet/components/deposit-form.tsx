import { useEffect } from 'react'
import { useController, useForm, useWatch } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { MoneyField, TextField } from '@/components/field'
import { FileDrop } from '@/components/file-drop'
import { Form } from '@/components/form'
import { MoneyButton } from '@/components/money-button'
import { Notice } from '@/components/notice'
import { parseCents } from '@/lib/amounts'
import { dropDraft, readDraft, writeDraft } from '@/lib/draft'
import { PROOF, readAsDataUrl } from '@/lib/files'
import { showFieldErrors } from '@/lib/forms'
import { notify } from '@/lib/notify'
import { hashIn } from '@/lib/pasted-payment'
import { paths } from '@/lib/paths'
import { resolverOf, text, upTo } from '@/lib/schema'
import { useSubmissionKey } from '@/lib/submission'
import { useTerms } from '@/lib/terms'
import { useQuote } from '../api/quotes'
import { useRequestDeposit } from '../api/request-deposit'
import { amountField, methodField, proofField } from '../fields'
import { depositRefusal } from '../limits'
import { useSettled } from '../use-settled'
import { useSoon } from '../use-soon'
import { MethodGrid, type Methods } from './method-grid'
import { PayTo } from './pay-to'

const CONFIRMED_WITHIN_MS = 15 * 60_000
const DRAFT = 'deposit'

/** How long an amount has to stay as it is before something is said against it. */
const PAUSE_MS = 400

type Values = { amount: string; method: string; receipt: File; txid: string }
const resolver = resolverOf<Values>({ amount: amountField, method: methodField('Choose a method'), receipt: proofField, txid: text(hashIn, upTo(128)) })
type Draft = Pick<Values, 'amount' | 'method' | 'txid'>

type DepositFormProps = {
  methods: Methods
  /** `deposit`, or `course` for the course payment. */
  type: string
  /** What the amount is to be: that of the address, or the price; it comes before a draft. */
  amount: string | null
  /** The amount is a price, not a choice. */
  isPrice?: boolean
}

export function DepositForm({ methods, type, amount, isPrice = false }: DepositFormProps) {
  const navigate = useNavigate()
  const deposit = useRequestDeposit()
  const submissionKey = useSubmissionKey()
  const form = useForm<Values>({ resolver, defaultValues: initialValues(type, amount) })
  const { errors } = form.formState
  const method = useController({ control: form.control, name: 'method' }).field
  const receipt = useController({ control: form.control, name: 'receipt' }).field
  const confirmedBy = useSoon(CONFIRMED_WITHIN_MS)
  const selected = methods.data?.find(({ id }) => id === method.value)
  const typedAmount = useWatch({ control: form.control, name: 'amount' })
  const cents = parseCents(typedAmount)
  const terms = useTerms().data
  // A price is not for the member to choose.
  const limits = isPrice ? undefined : terms
  const refusal = depositRefusal(useSettled(cents, PAUSE_MS), limits)
  const isAllowed = depositRefusal(cents, limits) === undefined
  const latest = useQuote({ direction: 'deposit', amountCents: isAllowed ? cents : null, method: method.value })
  // Of another version the address was not shown, and nobody looked at its signature.
  const quote = latest?.methodVersion === selected?.version ? latest : undefined

  useEffect(
    () => form.subscribe({ formState: { values: true }, callback: ({ values }) => writeDraft(`${DRAFT}:${type}`, draftOf(values)) }),
    [form, type],
  )

  // The price may arrive after the form.
  useEffect(() => {
    if (isPrice && amount) form.setValue('amount', amount)
  }, [form, isPrice, amount])

  const pick = (file: File) => {
    form.clearErrors('receipt')
    receipt.onChange(file)
    notify.success('Proof of payment uploaded successfully!')
  }

  const send = async (values: Values) => {
    const { receipt: proof, txid } = values
    const amountCents = parseCents(values.amount) ?? 0
    // Its payment may have been sent while the quote was open: the proof often comes later.
    const ofQuote = quote && { quoteId: quote.id, quoteMayHaveEnded: true }
    const paid = {
      amountCents, method: values.method, methodVersion: selected?.version, type,
      ...ofQuote, ...(txid ? { txid } : {}),
    }
    const content = { ...paid, proof: [proof.name, proof.size, proof.lastModified] }
    try {
      await deposit.mutateAsync({
        idempotencyKey: submissionKey.for(content),
        request: { ...paid, receipt: await readAsDataUrl(proof) },
      })
      submissionKey.settle()
      dropDraft(`${DRAFT}:${type}`)
      await navigate(paths.transactions)
    } catch (error) {
      submissionKey.settle(error)
      showFieldErrors(error, form.setError, ['amount', 'receipt', 'txid'])
    }
  }

  const submit = form.handleSubmit(send, () => {
    const { amount: typed, method: chosen, receipt: proof } = form.getValues()
    if (!typed.trim() || !chosen || !(proof as File | undefined)) notify.error('Please fill in all required fields')
  })

  return (
    <Form onSubmit={submit} className="space-y-7">
      <MoneyField
        label="Amount"
        readOnly={isPrice}
        error={errors.amount?.message ?? refusal}
        {...form.register('amount')}
      />
      <MethodGrid
        legend="Payment method"
        methods={methods}
        selected={method.value}
        onSelect={method.onChange}
        error={errors.method?.message}
      />
      {selected &&
        (isAllowed ? (
          <PayTo method={selected} confirmedBy={confirmedBy} quote={quote} />
        ) : (
          <Notice title="Do not send anything yet">The address is shown once the amount is within the limits.</Notice>
        ))}
      <FileDrop
        label="Proof of payment"
        hint="A photo, an image or a PDF"
        kind={PROOF}
        file={(receipt.value) ?? null}
        onPick={pick}
        onRemove={() => receipt.onChange(undefined)}
        error={errors.receipt?.message}
      />
      <TextField
        label="Transaction hash"
        optional
        autoComplete="off"
        spellCheck={false}
        hint="Helps us find your payment faster."
        clean={hashIn}
        error={errors.txid?.message}
        {...form.register('txid')}
      />
      <MoneyButton type="submit" size="lg" wide busyLabel="Confirming payment...">
        I have made payment
      </MoneyButton>
    </Form>
  )
}

function initialValues(type: string, amount: string | null): Partial<Values> & Draft {
  const draft = readDraft<Draft>(`${DRAFT}:${type}`)
  return { amount: amount ?? draft.amount ?? '', method: draft.method ?? '', txid: draft.txid ?? '' }
}

const draftOf = ({ amount, method, txid }: Partial<Values>): Partial<Draft> => ({ amount, method, txid })
