import { expect, it } from 'vitest'
import { pointsOf } from './sparkline'

const heightOf = (values: number[]) => {
  const heights = pointsOf(values).map((point) => Number(point.split(' ')[1]))
  return Math.max(...heights) - Math.min(...heights)
}

it('draws every line on one scale, so that a small change beside a large one looks small [U16]', () => {
  expect(heightOf([100, 108]) / heightOf([100, 136])).toBeCloseTo(8 / 36, 1)
  expect(heightOf([1, 1.08])).toBe(heightOf([100, 108]))
  expect(heightOf([100, 300])).toBeCloseTo(50, 0)
  expect(heightOf([100, 100])).toBe(0)
})
