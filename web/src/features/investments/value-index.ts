/** Arithmetic with published plan values: integers of millionths, as the server keeps them. */
import type { CoursePoint, Trade } from '@/lib/api-types'
import { percentOf, toCents } from '@/lib/money'

export const millionths = (value: number) => Math.round(value * 1e6)

/** Change from one published value to another in percent. */
export const changeOf = (first: CoursePoint, last: CoursePoint) =>
  percentOf(millionths(last.value) - millionths(first.value), millionths(first.value))

/** The value in force at a moment: the newest that is not later; `values` are sorted oldest first. */
export function valueAt(values: readonly CoursePoint[], moment: number): CoursePoint | undefined {
  return values.findLast(({ at }) => Date.parse(at) <= moment)
}

/** What a trade was worth at a moment, in cents: floor(amount x index / index at opening) [D-I1]. */
export function tradeCentsAt(trade: Trade, values: readonly CoursePoint[], moment: number): number {
  const opened = Date.parse(trade.createdAt)
  if (moment < opened) return 0
  const opening = valueAt(values, opened) ?? values[0]
  const end = trade.maturesAt ? Math.min(moment, Date.parse(trade.maturesAt)) : moment
  const present = valueAt(values, end) ?? opening
  if (!opening || !present) return toCents(trade.amount)
  return Number((BigInt(toCents(trade.amount)) * BigInt(millionths(present.value))) / BigInt(millionths(opening.value)))
}
