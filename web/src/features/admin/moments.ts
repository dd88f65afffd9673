/** Timestamps in the back office. */
import { tellApart } from '@/lib/dates'

const moment = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })
const exact = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit' })
const otherYear = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })

/** `Nov 21, 10:50 AM`, with the year when it is another one. */
export function formatMoment(iso: string): string {
  const at = new Date(iso)
  return (at.getFullYear() === new Date().getFullYear() ? moment : otherYear).format(at)
}

/** The same for a list, with seconds where two would look the same. */
export const formatMoments = (moments: readonly string[]) => tellApart(moments, formatMoment, (iso) => exact.format(new Date(iso)))

export const secondsSince = (iso: string, now: number) => (now - Date.parse(iso)) / 1000
