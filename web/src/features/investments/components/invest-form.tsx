import { useForm } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { Card } from '@/components/card'
import { DetailList } from '@/components/detail-list'
import { MoneyField } from '@/components/field'
import { Form } from '@/components/form'
import { MoneyButton } from '@/components/money-button'
import type { Plan, User } from '@/lib/api-types'
import { showFieldErrors } from '@/lib/forms'
import { amountRefusal, parseCents } from '@/lib/amounts'
import { formatMoney, plainDollars, toCents } from '@/lib/money'
import { notify } from '@/lib/notify'
import { readAmount } from '@/lib/pasted-payment'
import { paths } from '@/lib/paths'
import { useSubmissionKey } from '@/lib/submission'
import { useCreateTrade } from '../api/change-trade'

/** Why this amount cannot be invested in this plan, or `undefined` [INV-06]. */
export function investRefusal(text: string, plan: Plan, user: User): string | undefined {
  const cents = parseCents(text)
  if (cents === null && readAmount(text)) return amountRefusal(text)
  if (cents === null || cents < toCents(plan.min) || cents > toCents(plan.max)) {
    return `Amount must be between ${formatMoney(plan.min)} and ${formatMoney(plan.max)}`
  }
  return user.wallet && cents > toCents(user.wallet.balance) ? 'Insufficient balance' : undefined
}

export function InvestForm({ plan, user }: { plan: Plan; user: User }) {
  const navigate = useNavigate()
  const create = useCreateTrade()
  const submissionKey = useSubmissionKey()
  const form = useForm({ defaultValues: { amount: '' } })

  const most = Math.min(toCents(user.wallet?.balance ?? 0), toCents(plan.max))
  const fillMax = () => form.setValue('amount', plainDollars(most), { shouldValidate: form.formState.isSubmitted })

  const submit = form.handleSubmit(async ({ amount }) => {
    if (!plan.id) return notify.error('Plan is required')
    const request = { planId: plan.id, amountCents: parseCents(amount) ?? 0 }
    try {
      await create.mutateAsync({ request, idempotencyKey: submissionKey.for(request) })
      submissionKey.settle()
      await navigate(paths.investments)
    } catch (error) {
      submissionKey.settle(error)
      showFieldErrors(error, form.setError, ['amount'])
    }
  })

  return (
    <Card className="p-5 sm:p-7">
      <h2 className="text-lg font-semibold">{plan.title}</h2>
      <p className="text-sm text-ink-faint">{plan.subtitle}</p>
      <Form onSubmit={submit} className="mt-6 space-y-6">
        <MoneyField
          label="Amount"
          onMax={most >= toCents(plan.min) ? fillMax : undefined}
          hint={user.wallet ? `Available: ${formatMoney(user.wallet.balance)}` : undefined}
          error={form.formState.errors.amount?.message}
          {...form.register('amount', { validate: (text) => investRefusal(text, plan, user) ?? true })}
        />
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
        <MoneyButton type="submit" size="lg" wide busyLabel="Investing...">
          Invest
        </MoneyButton>
        <p className="text-sm text-ink-faint">
          The value of a trade follows the plan’s published values and can fall. Invest only what you can afford to lose.
        </p>
      </Form>
    </Card>
  )
}
