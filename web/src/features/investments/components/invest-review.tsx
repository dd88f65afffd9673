import { useEffect, useRef, useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { DetailList } from '@/components/detail-list'
import { Form } from '@/components/form'
import { MoneyButton } from '@/components/money-button'
import type { Plan, PlanFacts, User } from '@/lib/api-types'
import { formatCents, toCents } from '@/lib/money'
import { riskInWords } from '@/lib/risk'
import { outlookItems } from './outlook-list'
import { exitInWords } from './plan-label'

type InvestReviewProps = {
  plan: Plan
  user: User
  facts?: PlanFacts
  cents: number
  onInvest: () => unknown
  onBack: () => void
}

/** Repeats what will be invested and what may become of it, before it is. */
export function InvestReview({ plan, user, facts, cents, onInvest, onBack }: InvestReviewProps) {
  const [now] = useState(Date.now)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const balance = user.wallet ? toCents(user.wallet.balance) - cents : undefined
  return (
    <Card className="p-5 sm:p-7">
      <h2 ref={heading} tabIndex={-1} className="text-lg font-semibold">
        Check and invest
      </h2>
      <p className="text-sm text-ink-faint">{`${formatCents(cents)} in ${plan.title}`}</p>
      <Form onSubmit={onInvest} className="mt-4 space-y-6">
        <DetailList
          items={[
            { label: 'You invest', value: formatCents(cents) },
            ...(balance === undefined ? [] : [{ label: 'Balance afterwards', value: formatCents(balance) }]),
            ...outlookItems(plan, facts, cents, now),
            ...(plan.riskClass ? [{ label: 'Risk', value: riskInWords(plan.riskClass) }] : []),
            ...(plan.costPercent > 0 ? [{ label: 'Costs', value: `${plan.costPercent}% a year, part of the value` }] : []),
            { label: 'Leaving early', value: exitInWords(plan) },
          ]}
        />
        <p className="text-sm text-ink-soft">
          The target is not guaranteed, and the past says nothing certain: you can get back less than you invest.
        </p>
        <div className="space-y-2">
          <MoneyButton type="submit" size="lg" wide busyLabel="Investing...">
            Invest
          </MoneyButton>
          <Button variant="ghost" wide onClick={onBack}>
            Change the amount
          </Button>
        </div>
      </Form>
    </Card>
  )
}
