import { describe, expect, it } from 'vitest'
import { formatBrief, formatMoney, formatPercent, percentOf, sumCents, toCents, toDollars, withdrawalFee } from './money'

describe('formatMoney', () => {
  it.each([
    [0, '$0.00'], [0.1, '$0.10'], [1234567.8, '$1,234,567.80'], [-12.5, '-$12.50'], [1.005, '$1.00'],
  ])('shows %d as %s [MSG-04]', (dollars, text) => expect(formatMoney(dollars)).toBe(text))
})

describe('formatBrief', () => {
  it.each([[50, '$50'], [50_000, '$50,000'], [87.5, '$87.50'], [0, '$0']])('shows %d as %s', (dollars, text) => expect(formatBrief(dollars)).toBe(text))
})

describe('arithmetic in cents', () => {
  it('adds without float drift [MSG-04] [DASH-01]', () => expect(sumCents([0.1, 0.2, 0.3])).toBe(60))

  it('survives the way to the wire and back [D-G1]', () => {
    for (const cents of [0, 1, 10, 99, 100, 29, 57, 1999, 999999999999]) expect(toCents(toDollars(cents))).toBe(cents)
  })

  it.each([
    [5000, 125], [5020, 126], [5019, 125], [10000, 250], [1, 0], [20, 1], [5000000, 125000],
  ])('takes a fee of 2.5 %% of %d cents, half up: %d [D-W2]', (cents, fee) => expect(withdrawalFee(cents, 2.5)).toBe(fee))

  it('takes whatever fee the wallet tells [D-B11]', () => {
    expect(withdrawalFee(10_000, 0)).toBe(0)
    expect(withdrawalFee(10_000, 1.25)).toBe(125)
    expect(withdrawalFee(1, 50)).toBe(1)
  })

  it('is 0 percent of nothing [D-L3]', () => expect(percentOf(5, 0)).toBe(0))

  it('signs percentages [INV-03]', () => {
    expect(formatPercent(4.75, { signed: true })).toBe('+4.8%')
    expect(formatPercent(-6.4, { signed: true })).toBe('-6.4%')
  })
})
