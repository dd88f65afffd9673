/** What the member's trades add up to, in integer cents. */
import type { Trade } from '@/lib/api-types'
import { percentOf, sumCents } from '@/lib/money'

export type Portfolio = { investedCents: number; valueCents: number; percent: number }

/** Current value over total invested in percent; 0 when nothing is invested [D-L3]. */
export function portfolioOf(trades: readonly Trade[]): Portfolio {
  const investedCents = sumCents(trades.map((trade) => trade.amount))
  const valueCents = sumCents(trades.map((trade) => trade.currentValue))
  return { investedCents, valueCents, percent: percentOf(valueCents, investedCents) }
}
