import { formatDay } from './dates'

/** The entries of each day of the reader's time zone, in their order. */
export function byDay<Entry>(entries: readonly Entry[], at: (entry: Entry) => string | null | undefined): [string, Entry[]][] {
  const days = new Map<string, Entry[]>()
  for (const entry of entries) {
    const moment = at(entry)
    const day = moment ? formatDay(moment) : ''
    days.set(day, [...(days.get(day) ?? []), entry])
  }
  return [...days]
}
