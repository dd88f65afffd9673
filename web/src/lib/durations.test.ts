import { expect, it } from 'vitest'
import { formatSeconds, spanInWords } from './durations'

it('tells spans in their two largest units', () => {
  const spans: [number, string][] = [[0, '0 s'], [59, '59 s'], [60, '1 min'], [3_599, '59 min'], [3_600, '1 h'], [5_400, '1 h 30 min'], [86_460, '1 d'], [183_600, '2 d 3 h'], [-5, '0 s']]
  for (const [seconds, text] of spans) expect(formatSeconds(seconds)).toBe(text)
})

it('rounds spans up in words, so that "within" remains true', () => {
  const spans: [number, string][] = [[0, '1 minute'], [60, '1 minute'], [61, '2 minutes'], [3_599, '1 hour'], [5_401, '1 hour 31 minutes'], [86_399, '1 day'], [86_401, '1 day 1 hour'], [183_600, '2 days 3 hours']]
  for (const [seconds, text] of spans) expect(spanInWords(seconds)).toBe(text)
})
