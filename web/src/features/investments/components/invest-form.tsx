import { useState } from 'react'
import { useForm, useWatch } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { DetailList } from '@/components/detail-list'
import { MoneyField } from '@/components/field'
import { Form } from '@/components/form'
import type { Plan, PlanFacts, User } from '@/lib/api-types'
import { amountRefusal, parseCents } from '@/lib/amounts'
import { toApiError } from '@/lib/api-error'
import { showFieldErrors } from '@/lib/forms'
import { formatMoney, plainDollars, toCents } from '@/lib/money'
import { notify } from '@/lib/notify'
import { readAmount } from '@/lib/pasted-payment'
import { paths } from '@/lib/paths'
import { useSubmissionKey } from '@/lib/submission'
import { useCreateTrade } from '../api/change-trade'
import { InvestReview } from './invest-review'
import { OutlookList } from './outlook-list'

/** Why this amount cannot be invested in this plan, or `undefined` [INV-06]. */
export function investRefusal(text: string, plan: Plan, user: User): string | undefined {
  const cents = parseCents(text)
  if (cents === null && readAmount(text)) return amountRefusal(text)
  if (cents === null || cents < toCents(plan.min) || cents > toCents(plan.max)) {
    return `Amount must be between ${formatMoney(plan.min)} and ${formatMoney(plan.max)}`
  }
  return user.wallet && cents > toCents(user.wallet.balance) ? 'Insufficient balance' : undefined
}

type InvestFormProps = { plan: Plan; user: User; facts?: PlanFacts }

/** An amount with what may become of it, then a review, and then it is invested [INV-05]. */
export function InvestForm({ plan, user, facts }: InvestFormProps) {
  const navigate = useNavigate()
  const create = useCreateTrade()
  const submissionKey = useSubmissionKey()
  const form = useForm({ defaultValues: { amount: '' } })
  const [reviewed, setReviewed] = useState<number>()
  const typed = useWatch({ control: form.control, name: 'amount' })
  const cents = investRefusal(typed, plan, user) === undefined ? (parseCents(typed) ?? undefined) : undefined

  const most = Math.min(toCents(user.wallet?.balance ?? 0), toCents(plan.max))
  const fillMax = () => form.setValue('amount', plainDollars(most), { shouldValidate: form.formState.isSubmitted })

  const check = form.handleSubmit(({ amount }) => {
    if (!plan.id) return notify.error('Plan is required')
    setReviewed(parseCents(amount) ?? 0)
  })

  const invest = async (amountCents: number) => {
    const request = { planId: plan.id, amountCents }
    try {
      await create.mutateAsync({ request, idempotencyKey: submissionKey.for(request) })
      submissionKey.settle()
      await navigate(paths.investments)
    } catch (error) {
      submissionKey.settle(error)
      showFieldErrors(error, form.setError, ['amount'])
      if (toApiError(error).fields['amount']) setReviewed(undefined)
    }
  }

  if (reviewed !== undefined) {
    return (
      <InvestReview
        plan={plan}
        user={user}
        facts={facts}
        cents={reviewed}
        onInvest={() => invest(reviewed)}
        onBack={() => setReviewed(undefined)}
      />
    )
  }
  return (
    <Card className="p-5 sm:p-7">
      <h2 className="text-lg font-semibold">{plan.title}</h2>
      <p className="text-sm text-ink-faint">{plan.subtitle}</p>
      <Form onSubmit={check} className="mt-6 space-y-6">
        <MoneyField
          label="Amount"
          onMax={most >= toCents(plan.min) ? fillMax : undefined}
          hint={user.wallet ? `Available: ${formatMoney(user.wallet.balance)}` : undefined}
          error={form.formState.errors.amount?.message}
          {...form.register('amount', { validate: (text) => investRefusal(text, plan, user) ?? true })}
        />
        <OutlookList plan={plan} facts={facts} cents={cents} />
        <div className="rounded-lg bg-sunken px-4 py-1">
          <DetailList
            items={[
              { label: 'Minimum', value: formatMoney(plan.min) },
              { label: 'Maximum', value: formatMoney(plan.max) },
              { label: 'ROI', value: `${plan.roi}% (target, not guaranteed)` },
              { label: 'Duration', value: `${plan.duration} days` },
            ]}
          />
        </div>
        <Button type="submit" size="lg" wide>
          Check and invest
        </Button>
        <p className="text-sm text-ink-faint">
          The value of a trade follows the plan’s published values and can fall. Invest only what you can afford to lose.
        </p>
      </Form>
    </Card>
  )
}
