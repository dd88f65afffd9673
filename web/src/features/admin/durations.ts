/** Moments and spans of time as staff read them at a glance. */

const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
] as const

/** `2 d 4 h`, `35 min`, `20 s`: the two largest units. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  const at = units.findIndex((unit) => whole >= unit.seconds)
  const [large, small] = [units[at], units[at + 1]]
  if (!large) return `${whole} s`
  const rest = small ? Math.floor((whole % large.seconds) / small.seconds) : 0
  return `${Math.floor(whole / large.seconds)} ${large.name}${small && rest ? ` ${rest} ${small.name}` : ''}`
}

const moment = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })
const otherYear = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })

/** `Nov 21, 10:50 AM`, with the year when it is another one. */
export function formatMoment(iso: string): string {
  const at = new Date(iso)
  return (at.getFullYear() === new Date().getFullYear() ? moment : otherYear).format(at)
}

export const secondsSince = (iso: string, now: number) => (now - Date.parse(iso)) / 1000
