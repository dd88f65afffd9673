import { expect, it } from 'vitest'
import { formatSeconds } from './durations'

it('tells spans in their two largest units', () => {
  const spans: [number, string][] = [[0, '0 s'], [59, '59 s'], [60, '1 min'], [3_599, '59 min'], [3_600, '1 h'], [5_400, '1 h 30 min'], [183_600, '2 d 3 h'], [-5, '0 s']]
  for (const [seconds, text] of spans) expect(formatSeconds(seconds)).toBe(text)
})
