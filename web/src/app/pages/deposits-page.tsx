import { Suspense, lazy, type ComponentType } from 'react'
import { useSearchParams } from 'react-router'
import { Card } from '@/components/card'
import { Notice } from '@/components/notice'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'
import { usePaymentMethods } from '@/features/payment-methods/api/list-payment-methods'
import { HandlingTimes } from '@/features/transactions/components/handling-times'
import { DepositForm } from '@/features/wallet/components/deposit-form'
import type { Methods } from '@/features/wallet/components/method-grid'
import { formatBrief } from '@/lib/money'
import { useTerms } from '@/lib/terms'

const ArrivedPayments = lazy<ComponentType>(() =>
  import('@/features/wallet/components/arrived-payments').then((module) => ({ default: module.ArrivedPayments }), () => ({ default: () => null })),
)

const DEFAULT_TYPE = 'deposit'
const COURSE = 'course'

export function DepositsPage() {
  const [query] = useSearchParams()
  const type = (query.get('type') || DEFAULT_TYPE).toLowerCase()
  const methods = usePaymentMethods()
  const platform = methods.data?.filter((method) => method.scope !== 'personal')
  const isCourse = type === COURSE
  return (
    <Page
      title={isCourse ? 'Pay for the course' : 'Deposit'}
      description={isCourse ? 'One payment, lifetime access.' : 'Send a payment, then upload the proof.'}
    >
      {!isCourse && platform?.some((method) => method.derivation) && <Suspense><ArrivedPayments /></Suspense>}
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1.7fr)_minmax(0,1fr)]">
        <Card className="p-5 sm:p-7">
          {isCourse ? (
            <CoursePayment amount={query.get('amount')} methods={{ ...methods, data: platform }} />
          ) : (
            <DepositForm key={type} type={type} amount={query.get('amount')} methods={{ ...methods, data: platform }} />
          )}
        </Card>
        <Instructions />
      </div>
    </Page>
  )
}

/** The price is that of the terms; until they are known, that of the address, and without either the member enters it. */
function CoursePayment({ amount, methods }: { amount: string | null; methods: Methods }) {
  const { data: terms } = useTerms()
  const price = terms ? String(terms.course.price) : amount
  return <DepositForm type={COURSE} amount={price} isPrice={Boolean(price)} methods={methods} />
}

const steps = [
  'Enter the amount and choose a payment method.',
  'Send exactly that amount to the address shown, on the network shown.',
  'Upload a screenshot or PDF of the payment and press “I have made payment”.',
  'Our team reviews the payment. Once it is confirmed, the amount is added to your balance and you get an email.',
]

function Instructions() {
  const { data: terms, isPending } = useTerms()
  const limits = terms?.deposit
  return (
    <Card className="p-5 sm:p-6">
      <h2 className="font-semibold">Instructions</h2>
      <ol className="mt-4 space-y-3.5">
        {steps.map((step, index) => (
          <li key={step} className="flex gap-3 text-sm text-ink-soft">
            <span aria-hidden className="grid size-6 shrink-0 place-items-center rounded-full bg-sunken text-xs font-semibold text-ink">
              {index + 1}
            </span>
            <span className="pt-0.5">{step}</span>
          </li>
        ))}
      </ol>
      <dl className="my-5 grid grid-cols-2 gap-4 border-y border-line py-4 text-sm">
        <Limit label="Minimum deposit" value={limits && formatBrief(limits.min)} isKnown={!isPending} />
        <Limit label="Maximum deposit" value={limits && formatBrief(limits.max)} isKnown={!isPending} />
      </dl>
      <Notice tone="caution">Crypto sent on another network cannot be recovered. Check currency and network before you send.</Notice>
      <HandlingTimes of="deposit" />
    </Card>
  )
}

function Limit({ label, value, isKnown }: { label: string; value: string | undefined; isKnown: boolean }) {
  return (
    <div>
      <dt className="text-ink-faint">{label}</dt>
      <dd className="tabular mt-0.5 font-semibold">{value ?? (isKnown ? '–' : <Skeleton className="h-6 w-20" />)}</dd>
    </div>
  )
}
