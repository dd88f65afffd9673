import { ArrowDownRight, ArrowUpRight } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { Amount } from '@/components/amount'
import { Badge } from '@/components/badge'
import { Card } from '@/components/card'
import { Confirmation } from '@/components/confirmation'
import { cx } from '@/components/cx'
import { DetailList } from '@/components/detail-list'
import { MoneyButton } from '@/components/money-button'
import { Progress } from '@/components/progress'
import type { Trade } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'
import { formatCents, formatMoney, formatPercent, percentOf, toCents } from '@/lib/money'
import { newCase } from '@/lib/new-case'
import { useSubmissionKey } from '@/lib/submission'
import { useClaimTrade, useCloseTrade } from '../api/change-trade'
import { PlanSparkline } from './plan-sparkline'

/** Profit in cents and in percent: (currentValue - amount) / amount x 100 [INV-03]. */
export function profitOf({ amount, currentValue }: Pick<Trade, 'amount' | 'currentValue'>) {
  const cents = toCents(currentValue) - toCents(amount)
  return { cents, percent: percentOf(cents, toCents(amount)) }
}

/** One open trade, and the one thing the member can do with it [INV-02]. */
export function TradeCard({ trade }: { trade: Trade }) {
  const { plan, amount, currentValue, createdAt, maturesAt, exitFee } = trade
  const profit = profitOf(trade)
  const gains = profit.cents > 0
  const isOpen = trade.status !== 'settling'
  return (
    <Card className="flex flex-col p-5 sm:p-6">
      <div className="flex items-start justify-between gap-3">
        <h2 className="font-semibold">{plan.title}</h2>
        {isOpen ? (
          <Badge tone="positive" dot>
            Live
          </Badge>
        ) : (
          <Badge tone="caution">Being paid</Badge>
        )}
      </div>
      <p className="mt-4 text-sm text-ink-faint">Current Value</p>
      <Amount value={currentValue} className="text-2xl font-semibold" />
      <ProfitLoss {...profit} />
      <div className="mt-2.5">
        <Progress
          percent={profit.percent}
          label={`Profit of ${plan.title} in percent of the amount`}
          tone={gains ? 'positive' : 'negative'}
        />
      </div>
      {plan.id && <PlanSparkline planId={plan.id} title={plan.title} since={createdAt} />}
      <div className="mb-4">
        <DetailList
          items={[
            { label: 'Amount', value: <Amount value={amount} /> },
            { label: 'Created At', value: formatDay(createdAt) },
            ...(maturesAt ? [{ label: 'Matures', value: formatDay(maturesAt) }] : []),
            ...(exitFee?.until ? [{ label: `Exit fee until ${formatDay(exitFee.until)}`, value: <Amount value={exitFee.amount} /> }] : []),
          ]}
        />
      </div>
      {isOpen ? (
        <EndTrade trade={trade} gains={gains} />
      ) : (
        <p className="mt-auto text-sm text-ink-soft">
          {trade.waitingSince
            ? `You claimed ${formatMoney(currentValue)}. The plan's cash has not covered the gain since ${formatDay(trade.waitingSince)}: you are paid as soon as it does, before later claims.`
            : `${formatMoney(currentValue)} is being paid to your balance.`}
        </p>
      )}
      <Link
        className="mt-3 inline-flex min-h-9 items-center self-start text-sm text-ink-faint underline underline-offset-3 hover:text-ink pointer-coarse:min-h-11"
        to={newCase('investment', { kind: 'trade', reference: trade.id })}
        aria-label={`Something wrong? ${plan.title}, ${formatMoney(amount)}`}
      >
        Something wrong?
      </Link>
    </Card>
  )
}

function ProfitLoss({ cents, percent }: { cents: number; percent: number }) {
  const Icon = cents < 0 ? ArrowDownRight : ArrowUpRight
  const tone = cents > 0 ? 'text-positive' : cents < 0 ? 'text-negative' : 'text-ink-soft'
  return (
    <div className="mt-3 flex flex-wrap items-baseline justify-between gap-x-3 text-sm">
      <p className="text-ink-faint">Profit/Loss</p>
      <p className={cx('tabular flex items-center gap-1 font-semibold', tone)}>
        {cents !== 0 && <Icon aria-hidden className="size-4" />}
        <span className="signed">{`${cents > 0 ? '+' : ''}${formatCents(cents)}`}</span>
        <span className="font-medium">({formatPercent(percent, { signed: true })})</span>
      </p>
    </div>
  )
}

/** What ending it now pays, and what leaving early costs. */
function endOf({ plan, amount, currentValue, exitFee }: Trade) {
  const paid = formatCents(toCents(currentValue) - toCents(exitFee?.amount ?? 0))
  const facts = { amount: formatMoney(amount), value: paid }
  if (!exitFee?.until) return { ...facts, plan: plan.title }
  const fee = `an exit fee of ${exitFee.percent}%, ${formatMoney(exitFee.amount)}, which applies until ${formatDay(exitFee.until)} and stays in the plan`
  return { ...facts, plan: `${plan.title}, after ${fee},` }
}

/** Ending a trade pays out and cannot be undone, so it asks first. */
function EndTrade({ trade, gains }: { trade: Trade; gains: boolean }) {
  const [asking, setAsking] = useState(false)
  const submissionKey = useSubmissionKey()
  const claim = useClaimTrade()
  const close = useCloseTrade()
  const end = gains ? claim : close
  const label = gains ? 'Claim Profit' : 'Close Trade'
  const confirm = () =>
    end.mutateAsync(
      { id: trade.id, idempotencyKey: submissionKey.for([trade.id, label]) },
      { onSettled: (_data, error) => (submissionKey.settle(error ?? undefined), setAsking(false)) },
    )
  return (
    <>
      <MoneyButton
        variant={gains ? 'primary' : 'secondary'}
        wide
        className="mt-auto"
        aria-label={`${label}: ${trade.plan.title}, ${formatMoney(trade.amount)}`}
        onClick={() => setAsking(true)}
      >
        {label}
      </MoneyButton>
      <Confirmation
        act={gains ? 'PUT /trades/claim/{id}' : 'DELETE /trades/close/{id}'}
        facts={asking ? endOf(trade) : undefined}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
