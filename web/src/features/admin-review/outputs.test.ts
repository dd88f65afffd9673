import { describe, expect, it } from 'vitest'
import { parseOutput } from './outputs'

describe('an output', () => {
  it('is a whole number of 32 bits, or none [D-B8]', () => {
    const read = ['', ' ', '0', ' 7 ', '4294967295', '4294967296', '-1', '1.5', '1e3', 'x', '٣'].map(parseOutput)
    expect(read).toEqual([undefined, undefined, 0, 7, 4294967295, null, null, null, null, null, null])
  })
})
