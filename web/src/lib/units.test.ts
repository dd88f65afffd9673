import { describe, expect, it } from 'vitest'
import { formatAsset, formatRate, formatUnits } from './units'

describe('amounts of assets', () => {
  it('are written exactly, whatever their size [D-Q1]', () => {
    expect(formatUnits('513809', 8)).toBe('0.00513809')
    expect(formatUnits('500099000', 6)).toBe('500.099')
    expect(formatUnits('100000000', 8)).toBe('1')
    expect(formatUnits('33333333333333333333', 18)).toBe('33.333333333333333333')
    expect(formatUnits('7', 0)).toBe('7')
    expect(formatAsset({ asset: 'BTC', units: '1', decimals: 8 })).toBe('0.00000001 BTC')
  })

  it('have rates in dollars [D-Q1]', () => {
    expect(formatRate('97312.45')).toBe('$97,312.45')
    expect(formatRate('1')).toBe('$1.00')
    expect(formatRate('0.99985')).toBe('$0.99985')
    expect(formatRate('1234567.5')).toBe('$1,234,567.50')
  })
})
