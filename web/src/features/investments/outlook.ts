/** What an amount may become: at the plan's target, and as in its worst period so far. */
import type { Plan, PlanFacts } from '@/lib/api-types'
import { toCents } from '@/lib/money'
import { millionths } from './value-index'

const DAY_MS = 86_400_000

export type Outlook = {
  maturesAt: Date
  /** In cents. */
  atTarget: number
  /** In cents, as in the worst period of this many days; `undefined` while the plan is too young. */
  atWorst?: { cents: number; days: number }
}

/** Cents after a change of this many percent, with two decimals at most; rounded down, as the value of a trade is. */
export const changedBy = (cents: number, percent: number) =>
  cents + Number(floorDivided(BigInt(cents) * BigInt(toCents(percent)), 10_000n))

/** BigInt division rounds towards zero, but a loss must not look smaller. */
const floorDivided = (value: bigint, by: bigint) => value / by - (value % by < 0n ? 1n : 0n)

/** The longest of both periods that the plan is old enough for. */
export function longestPeriod({ over90Days, over30Days }: PlanFacts) {
  if (over90Days) return { ...over90Days, days: 90 }
  return over30Days ? { ...over30Days, days: 30 } : undefined
}

export function outlookOf(cents: number, plan: Plan, facts: PlanFacts | undefined, now: number): Outlook {
  const period = facts && longestPeriod(facts)
  return {
    maturesAt: new Date(now + plan.duration * DAY_MS),
    atTarget: changedBy(cents, plan.roi),
    ...(period ? { atWorst: { cents: changedBy(cents, period.worstPercent), days: period.days } } : {}),
  }
}

/** The target at the same pace for a year, in percent with one decimal. */
export const targetAYear = ({ roi, duration }: Pick<Plan, 'roi' | 'duration'>) => Math.round((toCents(roi) * 365) / duration / 10) / 10

/** What an amount invested at the first published value would be today, in cents; `undefined` before a second value. */
export function sinceTheFirst(cents: number, plan: Plan, { firstValue, firstValueAt }: PlanFacts): number | undefined {
  if (!firstValue || !plan.value || firstValueAt === plan.valueAt) return undefined
  return Number((BigInt(cents) * BigInt(millionths(plan.value))) / BigInt(millionths(firstValue)))
}
