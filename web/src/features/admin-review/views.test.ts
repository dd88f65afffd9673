import { expect, it } from 'vitest'
import type { StaffTransaction, Verdict } from '@/features/admin/api/types'
import { filtered, joined } from './views'

const now = Date.parse('2026-11-27T12:00:00Z')
const row = (id: string, more: object = {}) =>
  ({ id, revision: 1, kind: 'deposit', createdAt: '2026-11-27T11:00:00Z', method: { network: 'TRC20' }, ...more }) as unknown as StaffTransaction
const verdict = (transactionId: string, more: object = {}) =>
  ({ transactionId, revision: 1, checks: 8, concerns: 0, chainState: 'final', blockers: [], ...more }) as unknown as Verdict

it('filters the queue by what the server knows of each row, and ignores what it knew before a change [R9] [U8]', () => {
  const rows = joined(
    [row('clear'), row('doubtful'), row('stale', { revision: 2 }), row('late', { createdAt: '2026-11-26T11:00:00Z', method: { network: 'Bitcoin' } }), row('payout', { kind: 'withdrawal', approved: true })],
    new Map([
      ['clear', verdict('clear', { claimedBy: 'me' })],
      ['doubtful', verdict('doubtful', { concerns: 2, chainState: 'missing', blockers: [{ act: 'approve', code: 'FEE_PENDING', message: 'A fee.' }] })],
      ['stale', verdict('stale')],
    ]),
  )
  const shown = (filter: object) => filtered(rows, { view: 'all', network: '', ...filter }, { staffId: 'me', now }).map(({ transaction }) => transaction.id)
  expect(shown({})).toEqual(['clear', 'doubtful', 'stale', 'late'])
  expect(shown({ view: 'ready' })).toEqual(['clear'])
  expect(shown({ view: 'attention' })).toEqual(['doubtful'])
  expect(shown({ view: 'blocked' })).toEqual(['doubtful'])
  expect(shown({ view: 'unpaid' })).toEqual(['doubtful'])
  expect(shown({ view: 'late' })).toEqual(['late'])
  expect(shown({ view: 'mine' })).toEqual(['clear'])
  expect(shown({ network: 'Bitcoin' })).toEqual(['late'])
  expect(shown({ kind: 'payout' })).toEqual(['payout'])
})
