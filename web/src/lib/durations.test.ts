import { expect, it } from 'vitest'
import { formatClock, formatSpoken, formatSeconds, formatSpan } from './durations'

it('shows spans in their two largest units, and long ones in days', () => {
  const spans: [number, string][] = [[0, '0 s'], [59, '59 s'], [60, '1 min'], [3_599, '59 min'], [3_600, '1 h'], [5_400, '1 h 30 min'], [86_460, '1 d'], [183_600, '2 d 3 h'], [863_999, '9 d 23 h'], [950_399, '10 d'], [-5, '0 s']]
  for (const [seconds, text] of spans) expect(formatSeconds(seconds)).toBe(text)
})

it('rounds a span up, so that "within" remains true', () => {
  const spans: [number, string][] = [[0, '0 s'], [40, '40 s'], [60, '1 min'], [61, '2 min'], [3_599, '1 h'], [5_401, '1 h 31 min'], [86_399, '1 d'], [86_401, '1 d 1 h'], [183_600, '2 d 3 h'], [863_999, '10 d'], [864_001, '11 d']]
  for (const [seconds, text] of spans) expect(formatSpan(seconds)).toBe(text)
})

describe('a moment of a video', () => {
  it('is shown as a clock and said in words', () => {
    expect([0, 7.9, 127, 3727, NaN].map(formatClock)).toEqual(['0:00', '0:07', '2:07', '1:02:07', '0:00'])
    expect([0, 1, 127, 3600].map(formatSpoken)).toEqual(['0 seconds', '1 second', '2 minutes 7 seconds', '1 hour'])
  })
})
