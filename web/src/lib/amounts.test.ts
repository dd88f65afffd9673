import { describe, expect, it } from 'vitest'
import { amountRefusal, parseCents } from './amounts'

describe('an amount that is typed', () => {
  it.each([
    ['0', 0], ['87', 8700], ['0.1', 10], ['1250.05', 125005], [' 12.30 ', 1230], ['$5', 500], ['1,250.00', 125000],
    ['9999999999.99', 999999999999], ['87,50', 8750], ['500,5', 50050], ['1.000,50', 100050], ['1,000.50', 100050], ['500.', 50000],
    ['.5', 50], ['1 000', 100000], ['1\u00a0000,5', 100050], ["1'000.00", 100000], ['1’000', 100000], ['500 USD', 50000], ['US$ 500', 50000],
    ['1,000', 100000], ['1.000.000', 100000000], ['1,234,567', 123456700], ['５００', 50000], ['٣٠٠', 30000], ['\u200b250', 25000],
  ])('is read where it can mean one thing: %j [D-G1]', (text, cents) => {
    expect(parseCents(text)).toBe(cents)
    expect(amountRefusal(text)).toBeUndefined()
  })

  it.each(['-1', '+1', '1e3', '01', '1.2345', '12345678901', 'NaN', 'Infinity', '1_000', '1,00,000', '1.00.000', '12 34', '1,000,50', '€5', '1.2.3'])(
    'is refused where it means nothing: %j [D-G1]',
    (text) => {
      expect(parseCents(text)).toBeNull()
      expect(amountRefusal(text)).toBe('Enter an amount like 250.00')
    },
  )

  it.each([
    ['1.000', 'Did you mean $1,000.00 or $1.00? Enter it as 1000.00 or 1.00.'],
    ['250.505', 'Did you mean $250,505.00? Enter it as 250505.00.'],
    ['', 'Enter an amount'],
  ])('is asked about where it may mean another: %j [D-G1]', (text, words) => {
    expect(parseCents(text)).toBeNull()
    expect(amountRefusal(text)).toBe(words)
  })
})
