import type { Review } from '@/features/admin/api/types'

const isAlive = ({ state }: { state: string }) => ['seen', 'included', 'final'].includes(state)

/** Whether a payment is worth about what was claimed: an exchange takes its fee from what it sends. */
export const isNear = (value: number | undefined, claimed: number) => value !== undefined && Math.abs(value - claimed) <= claimed * 0.05

/** Whether somebody has sent it, whose lease ended: then it is attached, and not paid again [D-N4]. */
export const isOnChain = ({ evidence }: Review) => evidence?.payments.some(isAlive) ?? false

/** The payout as the chain shows it, if there is exactly one to the destination [D-Q4]. */
export function detected({ evidence, transaction: { payout } }: Review) {
  const [one, ...others] = evidence?.payments ?? []
  return one && isAlive(one) && others.length === 0 && (!payout || payout.units === one.units) ? one : undefined
}
