import { Suspense, lazy, useRef } from 'react'
import { ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { Notice } from '@/components/notice'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'
import { useSessionCheck } from '@/features/auth/api/check-session'
import { usePaymentMethods } from '@/features/payment-methods/api/list-payment-methods'
import { HandlingTimes } from '@/features/transactions/components/handling-times'
import { WithdrawalForm } from '@/features/wallet/components/withdrawal-form'
import type { Terms } from '@/lib/api-types'
import { formatZoned, hoursHere } from '@/lib/dates'
import { loadChunk } from '@/lib/load-chunk'
import { formatBrief, formatMoney } from '@/lib/money'
import { paths } from '@/lib/paths'
import { useMember } from '@/lib/session'
import { useTerms } from '@/lib/terms'

export function WithdrawalsPage() {
  const user = useMember()
  const methods = usePaymentMethods()
  const platform = methods.data?.filter((method) => method.scope !== 'personal')
  const own = methods.data?.filter((method) => method.scope === 'personal') ?? []

  const openWithdrawal = useRef<HTMLDivElement>(null)

  // Asks again when the page opens: the balance and whether another withdrawal is open decide here.
  useSessionCheck()

  return (
    <Page
      title="Withdrawal"
      description="Send funds from your balance to your own address."
      action={
        <ButtonLink to={paths.paymentMethods} variant="secondary">
          Payment methods
        </ButtonLink>
      }
    >
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1.7fr)_minmax(0,1fr)]">
        <div className="space-y-5">
          {user.isWithdrawalPending && (
            <div ref={openWithdrawal} tabIndex={-1} role="region" aria-label="Open withdrawal" className="scroll-mt-44 rounded-lg">
              <Suspense fallback={<Skeleton className="h-40" />}>
                <OpenWithdrawal />
              </Suspense>
            </div>
          )}
          <Card className="p-5 sm:p-7">
            <WithdrawalForm user={user} methods={{ ...methods, data: platform }} saved={own} onPending={() => openWithdrawal.current?.focus()} />
          </Card>
        </div>
        <Facts />
      </div>
    </Page>
  )
}

const OpenWithdrawal = lazy(async () => ({ default: (await loadChunk(() => import('./withdrawals/open-withdrawal'))).OpenWithdrawal }))

type Limits = Terms['withdrawal']

/** Facts for all members; limits and fee come from the terms. */
const facts: readonly [label: string, value: string | ((limits: Limits) => string), also?: string][] = [
  ['Minimum withdrawal', ({ min }) => formatBrief(min), 'or your whole balance, once in 30 days'],
  ['Maximum withdrawal', ({ max }) => formatBrief(max)],
  ['Processing fee', ({ feePercent }) => `${feePercent}%`],
  ['Processing time', 'Instant - 15 minutes'],
  ['Business hours', '9 AM - 6 PM UTC'],
]

/** "24 hours", "30 days" */
const periodInWords = (hours: number) => (hours % 24 === 0 && hours > 24 ? `${hours / 24} days` : `${hours} hours`)

function Facts() {
  const { data: terms, isError } = useTerms()
  const here = hoursHere(9, 18)
  const shown = (value: (limits: Limits) => string) =>
    terms ? value(terms.withdrawal) : isError ? '–' : <Skeleton className="h-5 w-16" />
  return (
    <Card className="p-5 sm:p-6">
      <h2 className="font-semibold">Good to know</h2>
      <dl className="mt-3 mb-5 divide-y divide-line text-sm">
        {facts.map(([label, value, also]) => (
          <div key={label} className="flex justify-between gap-4 py-2.5">
            <dt className="text-ink-faint">{label}</dt>
            <dd className="tabular text-end font-medium">
              {typeof value === 'string' ? value : shown(value)}
              {also && <span className="block font-normal text-ink-faint">{also}</span>}
            </dd>
          </div>
        ))}
        {here && (
          <div className="flex justify-between gap-4 py-2.5">
            <dt className="text-ink-faint">In your time zone</dt>
            <dd className="tabular text-end font-medium">{here}</dd>
          </div>
        )}
        {terms?.withdrawal.limits.map(({ hours, amount }) => (
          <div key={hours} className="flex justify-between gap-4 py-2.5">
            <dt className="text-ink-faint">Limit in {periodInWords(hours)}</dt>
            <dd className="tabular text-end font-medium">{formatBrief(amount)}</dd>
          </div>
        ))}
        {terms?.withdrawal.left != null && (
          <div className="flex justify-between gap-4 py-2.5">
            <dt className="text-ink-faint">Remaining limit</dt>
            <dd className="tabular text-end font-medium">
              {formatMoney(terms.withdrawal.left)}
              {terms.withdrawal.availableAt && (
                <span className="block font-normal text-ink-faint">more from {formatZoned(terms.withdrawal.availableAt)}</span>
              )}
            </dd>
          </div>
        )}
      </dl>
      <Notice tone="caution" title="Please check before you submit">
        A submitted withdrawal cannot be cancelled. The fee is deducted from the payout; you never need to send money to receive your own.
      </Notice>
      <HandlingTimes of="withdrawal" />
    </Card>
  )
}
