import { expect, it } from 'vitest'
import { decimalsOf, stepsFrom, withoutRepeats } from './chart-axis'

it('labels neighbouring ticks apart, however close they are', () => {
  const ticks = [1.005, 1.01, 1.015, 1.02]
  expect(ticks.map((tick) => tick.toFixed(decimalsOf(ticks)))).toEqual(['1.005', '1.010', '1.015', '1.020'])
  for (const step of stepsFrom(0.000_001)) {
    const close = [0, 1, 2, 3].map((count) => 1 + count * step)
    expect(new Set(close.map((tick) => tick.toFixed(decimalsOf(close)))).size).toBe(4)
  }
})

it('steps by no less than a label can show', () => {
  expect(stepsFrom(1).slice(0, 5)).toEqual([1, 2, 5, 10, 20])
  expect(stepsFrom(0.01).every((step) => step >= 0.01)).toBe(true)
})

it('says each label once', () => {
  expect(withoutRepeats(['5:40 PM', '5:40 PM', '5:41 PM', '5:41 PM'])).toEqual(['5:40 PM', '', '5:41 PM', ''])
})
