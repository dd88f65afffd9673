/** What an amount is refused for before anything is sent: the limits of the terms, and the balance [D-B11]. */
import type { Terms, User } from '@/lib/api-types'
import { formatCents, formatMoney, toCents } from '@/lib/money'

const between = ({ min, max }: { min: number; max: number }, what: string) => `${what} are from ${formatMoney(min)} to ${formatMoney(max)}.`

/** Why so much cannot be deposited, or `undefined`: it can be, or the terms are not known yet. */
export function depositRefusal(cents: number | null, terms: Terms | undefined): string | undefined {
  if (cents === null || !terms) return undefined
  const { min, max } = terms.deposit
  return cents < toCents(min) || cents > toCents(max) ? between(terms.deposit, 'Deposits') : undefined
}

/** Why so much cannot be withdrawn. All that there is may be less than the minimum: then the server decides. */
export function withdrawalRefusal(cents: number | null, terms: Terms | undefined, wallet: User['wallet']): string | undefined {
  if (cents === null || !terms) return undefined
  const { min, max, left } = terms.withdrawal
  const balance = wallet ? toCents(wallet.balance) : undefined
  if (balance !== undefined && cents > balance) return `This is more than your available balance of ${formatCents(balance)}.`
  if (cents > toCents(max)) return between(terms.withdrawal, 'Withdrawals')
  if (cents < toCents(min) && cents !== balance) {
    const all = balance !== undefined && balance > 0 && balance < toCents(min) ? ` Once in 30 days you can withdraw your whole balance of ${formatCents(balance)} instead.` : ''
    return between(terms.withdrawal, 'Withdrawals') + all
  }
  return left != null && cents > toCents(left) ? `Your remaining limit is ${formatMoney(left)}.` : undefined
}
