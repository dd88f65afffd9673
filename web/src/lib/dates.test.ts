import { afterEach, expect, it, vi } from 'vitest'
import { formatDateTime, formatZoned, hoursHere, zoneName } from './dates'

afterEach(() => vi.restoreAllMocks())

it('names the time zone of the screen beside a date that stands alone [TXN-04]', () => {
  const at = '2026-11-21T10:50:00Z'
  expect(zoneName(new Date(at))).not.toBe('')
  expect(formatZoned(at)).toBe(`${formatDateTime(at)} ${zoneName(new Date(at))}`)
})

it('tells business hours in the time zone of the screen, where that is another one than UTC [WDR-01]', () => {
  const offset = vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(0)
  expect(hoursHere(9, 18)).toBeUndefined()
  offset.mockReturnValue(-60)
  expect(hoursHere(9, 18)).toMatch(/^\d{1,2} [AP]M - \d{1,2} [AP]M \S+$/)
})
