import { describe, expect, it } from 'vitest'
import { verifyLeaf } from './verify-leaf'

const userId = '22222222-2222-2222-2222-222222222222'
const sibling = { side: 'left' as const, digest: '33'.repeat(32), sum: 0.55 }
const leaf = { salt: '11'.repeat(32), amount: 123.45, path: [sibling] }
/** Computed by another program. */
const published = { root: '65fbcd1b7fa396cc24f3f3d7fb8ddcac9a1287bec83dc7008815691a14d93136', total: 124 }

describe('the proof of liabilities [D-B6]', () => {
  it('leads from the member’s leaf to the published root and total', async () => {
    expect(await verifyLeaf(userId, leaf, published)).toBe(true)
  })

  it.each([
    ['another member', '32222222-2222-2222-2222-222222222222', leaf, published],
    ['another amount', userId, { ...leaf, amount: 123.46 }, published],
    ['another salt', userId, { ...leaf, salt: '12'.repeat(32) }, published],
    ['another total', userId, leaf, { ...published, total: 124.01 }],
    ['a path without its sibling', userId, { ...leaf, path: [] }, published],
    ['a sibling on the other side', userId, { ...leaf, path: [{ ...sibling, side: 'right' as const }] }, published],
    ['a negative sum', userId, { ...leaf, path: [{ ...sibling, sum: -0.55 }] }, published],
  ])('does not hold for %s', async (_, id, one, of) => {
    expect(await verifyLeaf(id, one, of)).toBe(false)
  })
})
