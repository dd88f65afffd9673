import { expect, it } from 'vitest'
import type { Review, StaffTransaction } from '@/features/admin/api/types'
import { blockersOf } from './blockers'

const review = (transaction: object, more: object = {}) => ({ transaction: { id: 'w', kind: 'withdrawal', ...transaction }, ...more }) as unknown as Review
const fee = { id: 'f', kind: 'fee', status: 'pending', reference: 'TNX-fee001' } as unknown as StaffTransaction

it('says before the press why something cannot be approved [D-W4] [D-A4] [D-A5]', () => {
  const around = { staffId: 'me', others: [] }
  expect(blockersOf(review({}), around)).toEqual([])
  expect(blockersOf(review({}), { ...around, others: [fee] })).toEqual(['The payment of its fee (TNX-fee001) is in review: decide that first.'])
  expect(blockersOf(review({}), { ...around, others: [{ ...fee, status: 'failed' }] })).toEqual([])
  expect(blockersOf(review({ kind: 'deposit' }), { ...around, others: [fee] })).toEqual([])
  expect(blockersOf(review({ needsDestination: true }), around)).toEqual(['It can be approved once the member has entered an address.'])
  expect(blockersOf(review({ needsConfirmation: true, firstApproval: { by: 'me' } }), around)).toHaveLength(2)
  expect(blockersOf(review({}, { notBefore: '2026-11-26T10:00:00Z' }), around)[0]).toMatch(/^It can be approved from November 26, 2026/)
})
