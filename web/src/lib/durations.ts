/** Spans of time in words. */

const units = [
  { seconds: 86_400, short: 'd' },
  { seconds: 3_600, short: 'h' },
  { seconds: 60, short: 'min' },
] as const

/** The two largest units of a span of at least a minute; what is smaller falls away. */
function largestUnits(seconds: number) {
  const at = units.findIndex((unit) => seconds >= unit.seconds)
  let rest = seconds
  const parts = units.slice(at, at + 2).map((unit) => {
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
  const smallest = seconds > 86_400 ? 3_600 : seconds > 60 ? 60 : 1
  return formatSeconds(Math.ceil(seconds / smallest) * smallest)
}
