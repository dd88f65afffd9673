/** Amounts that people type. */
import { formatCents, plainDollars } from './money'
import { readAmount } from './pasted-payment'

/** What a member typed, as integer cents, or `null` if it is no amount or may be two. */
export function parseCents(text: string): number | null {
  const reading = readAmount(text)
  return reading && 'cents' in reading ? reading.cents : null
}

/** What is wrong with a typed amount: nothing, or what to enter instead. */
export function amountRefusal(text: string, example = '250.00'): string | undefined {
  if (!text.trim()) return 'Enter an amount'
  const reading = readAmount(text)
  if (!reading) return `Enter an amount like ${example}`
  if ('cents' in reading) return undefined
  const meant = reading.either.map(formatCents).join(' or ')
  return `Did you mean ${meant}? Enter it as ${reading.either.map(plainDollars).join(' or ')}.`
}
