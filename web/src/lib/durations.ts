/** Spans of time in words. */

const units = [
  { seconds: 86_400, short: 'd' },
  { seconds: 3_600, short: 'h' },
  { seconds: 60, short: 'min' },
] as const

/** From ten days on, only days are shown: hours would not fit into the columns of ages. */
const LONG = 864_000

/** The two largest units of a span of at least a minute, the largest of a long one; what is smaller falls away. */
function largestUnits(seconds: number) {
  const at = units.findIndex((unit) => seconds >= unit.seconds)
  let rest = seconds
  const parts = units.slice(at, seconds < LONG ? at + 2 : at + 1).map((unit) => {
    const count = Math.floor(rest / unit.seconds)
    rest %= unit.seconds
    return { ...unit, count }
  })
  return parts.filter(({ count }) => count > 0)
}

/** `2 d 4 h`, `35 min`, `20 s`: at a glance. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  return largestUnits(whole).map(({ count, short }) => `${count} ${short}`).join(' ')
}

/** The same rounded up, so that "within" remains true. */
export function formatSpan(seconds: number): string {
  const smallest = seconds > LONG ? 86_400 : seconds > 86_400 ? 3_600 : seconds > 60 ? 60 : 1
  return formatSeconds(Math.ceil(seconds / smallest) * smallest)
}

/** `2:07`, `1:02:07`: a moment of a video. */
export function formatClock(seconds: number): string {
  const { hours, minutes, rest } = clock(seconds)
  const padded = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`
}

/** `2 minutes 7 seconds`: the same for screen readers. */
export function formatSpoken(seconds: number): string {
  const { hours, minutes, rest } = clock(seconds)
  const parts = [[hours, 'hour'], [minutes, 'minute'], [rest, 'second']] as const
  const said = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
  return said.join(' ') || '0 seconds'
}

/** A video that is not loaded has no length, which is not a number. */
function clock(seconds: number) {
  const whole = Math.max(0, Math.floor(Number.isFinite(seconds) ? seconds : 0))
  return { hours: Math.floor(whole / 3600), minutes: Math.floor(whole / 60) % 60, rest: whole % 60 }
}

export const secondsSince = (iso: string, now: number) => (now - Date.parse(iso)) / 1000
