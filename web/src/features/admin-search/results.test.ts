import { expect, it } from 'vitest'
import type { Found } from '@/features/admin/api/types'
import { resultsOf } from './results'

const pages = [
  { to: '/admin/solvency', label: 'Solvency' },
  { to: '/admin/audit', label: 'Audit log' },
]
const found = {
  members: [{ id: 'm1', name: 'José', email: 'jose@example.com', isFrozen: true }],
  transactions: [{ id: 't1', reference: 'TNX-abc123', title: 'Deposit', status: 'pending', amount: 250, user: { name: 'José' } }],
  payments: [
    { txid: 'ab'.repeat(32), index: 0, asset: 'BTC', units: '100000', decimals: 8, chain: 'bitcoin', state: 'final', outgoing: false },
    { txid: 'cd'.repeat(32), index: 1, asset: 'BTC', units: '100000', decimals: 8, chain: 'bitcoin', state: 'final', outgoing: true, transactionId: 't2' },
  ],
  missing: [],
} as unknown as Found

it('lists what was found with where it leads, and pages however they are typed [R9]', () => {
  expect(resultsOf('jose', pages, found).map(({ group, to }) => [group, to])).toEqual([
    ['Transactions', '/admin/review/t1'],
    ['Members', '/admin/members/m1'],
    ['Payments on chains', '/admin/payments'],
    ['Payments on chains', '/admin/review/t2'],
  ])
  expect(resultsOf('ÁUDIT', pages).map(({ title }) => title)).toEqual(['Audit log'])
})
