/** What everything of a member is worth, in integer cents: money at hand, set aside or held, less what is owed, and the trades. */
import type { CoursePoint, DayBalances, Trade, Wallet } from '@/lib/api-types'
import { sumCents, toCents } from '@/lib/money'
import { tradeCentsAt } from './value-index'

type Cash = { balance: number; held: number; onHold?: number; owed?: number }

const cashCents = ({ balance, held, onHold = 0, owed = 0 }: Cash) => sumCents([balance, held, onHold]) - toCents(owed)

/** What a trade was worth at a moment: nothing before it was opened and after it was paid out. */
function centsAt(trade: Trade, values: readonly CoursePoint[], moment: number): number {
  const ended = trade.closedAt ? Date.parse(trade.closedAt) : Infinity
  if (moment >= ended) return 0
  // Its value is fixed while the payout waits.
  if (trade.waitingSince && moment >= Date.parse(trade.waitingSince)) return toCents(trade.currentValue)
  return tradeCentsAt(trade, values, moment)
}

const isOpen = ({ closedAt }: Trade) => !closedAt

export const worthNow = (wallet: Wallet, trades: readonly Trade[]) =>
  cashCents(wallet) + sumCents(trades.filter(isOpen).map(({ currentValue }) => currentValue))

/** At the end of each day; `values` are the published ones of each plan, oldest first. */
export const worthByDay = (days: readonly DayBalances[], trades: readonly Trade[], values: ReadonlyMap<string, readonly CoursePoint[]>) =>
  days.map((day) => {
    const moment = Date.parse(day.at ?? '')
    return trades.reduce((sum, trade) => sum + centsAt(trade, values.get(trade.plan.id ?? '') ?? [], moment), cashCents(day))
  })
