/** Dates as members read them, in US English and their own time zone. */

const long = new Intl.DateTimeFormat('en-US', {
  year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit',
})
const day = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', day: 'numeric' })
const time = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' })

const exact = new Intl.DateTimeFormat('en-US', {
  year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit',
})

/** `November 21, 2026 at 10:50 AM` */
export const formatDateTime = (iso: string | number | Date) => long.format(new Date(iso))
/** `November 21, 2026 at 10:50:31 AM` */
export const formatExact = (iso: string) => exact.format(new Date(iso))
/** The same as `formatDateTime` for a list, with seconds where two would look the same. */
export const formatDateTimes = (moments: readonly string[]) => tellApart(moments, formatDateTime, formatExact)
/** `Nov 21, 2026` */
export const formatDay = (iso: string | number | Date) => day.format(new Date(iso))
/** The same of a list: with the time where two would look alike, and with seconds where even that is the same. */
export const formatDays = (moments: readonly string[]) => {
  const times = formatDateTimes(moments)
  return tellApart(moments, formatDay, (iso) => times[moments.indexOf(iso)] ?? '')
}
/** `10:50 AM` */
export const formatTime = (iso: string | number | Date) => time.format(new Date(iso))
const timeExact = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', second: '2-digit' })

/** The same for a list, with seconds where two would look the same. */
export const formatTimes = (moments: readonly string[]) => tellApart(moments, formatTime, (iso) => timeExact.format(new Date(iso)))
/** `2026-11-21`, the day in UTC, as the contract and date inputs write it. */
export const isoDay = (moment: Date) => moment.toISOString().slice(0, 10)

/** Each moment in short, or exactly where two different ones of the list would look alike. */
export function tellApart(moments: readonly string[], short: (iso: string) => string, exactly: (iso: string) => string): string[] {
  const texts = moments.map(short)
  const seen = new Map<string, Set<string>>()
  texts.forEach((text, index) => seen.set(text, (seen.get(text) ?? new Set()).add(moments[index] ?? '')))
  return texts.map((text, index) => ((seen.get(text)?.size ?? 0) > 1 ? exactly(moments[index] ?? '') : text))
}

const moment = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })
const momentExact = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit' })
const otherYear = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })

/** `Nov 21, 10:50 AM`, with the year when it is another one. */
export function formatMoment(iso: string): string {
  const at = new Date(iso)
  return (at.getFullYear() === new Date().getFullYear() ? moment : otherYear).format(at)
}

/** The same for a list, with seconds where two would look the same. */
export const formatMoments = (moments: readonly string[]) => tellApart(moments, formatMoment, (iso) => momentExact.format(new Date(iso)))

const zoned = new Intl.DateTimeFormat('en-US', { hour: 'numeric', timeZoneName: 'short' })

/** `GMT+1`, `UTC`: the time zone that the dates on the screen are in. */
export const zoneName = (at = new Date()) => zoned.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''

/** `November 21, 2026 at 10:50 AM GMT+1`: where a date stands alone, or is kept. */
export const formatZoned = (iso: string | number | Date) => `${formatDateTime(iso)} ${zoneName(new Date(iso))}`.trim()

/** Hours of UTC in the time zone of the screen: `10 AM - 7 PM GMT+1`; `undefined` where that is UTC. */
export function hoursHere(from: number, to: number, now = new Date()): string | undefined {
  if (now.getTimezoneOffset() === 0) return undefined
  const hour = (utc: number) => {
    const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), utc))
    return formatTime(at).replace(':00', '')
  }
  return `${hour(from)} - ${hour(to)} ${zoneName(now)}`
}
