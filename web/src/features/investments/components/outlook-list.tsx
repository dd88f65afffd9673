import { useState } from 'react'
import { DetailList, type Detail } from '@/components/detail-list'
import type { Plan, PlanFacts } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'
import { formatCents } from '@/lib/money'
import { longestPeriod, outlookOf } from '../outlook'

/** What an amount may become, line by line; without an amount the lines keep their places. */
export function outlookItems(plan: Plan, facts: PlanFacts | undefined, cents: number | undefined, now: number): Detail[] {
  const { maturesAt, atTarget, atWorst } = outlookOf(cents ?? 0, plan, facts, now)
  const amount = (found: number | undefined) => (cents === undefined || found === undefined ? '–' : formatCents(found))
  const period = facts && longestPeriod(facts)
  return [
    { label: 'Matures on', value: formatDay(maturesAt) },
    { label: 'At target', value: amount(atTarget) },
    facts && !period
      ? { label: 'As in its worst period', value: 'Not known: the plan is younger than 30 days' }
      : { label: `As in its worst ${period?.days ?? 90} days so far`, value: amount(atWorst?.cents) },
  ]
}

/** The same below the amount, while it is typed. */
export function OutlookList({ plan, facts, cents }: { plan: Plan; facts?: PlanFacts; cents?: number }) {
  const [now] = useState(Date.now)
  return (
    <div aria-live="polite" className="rounded-lg border border-line px-4 py-1">
      <DetailList items={outlookItems(plan, facts, cents, now)} />
    </div>
  )
}
