import { expect, it } from 'vitest'
import { changesOf, titleOf } from './proposals'

it('tells an update by what differs, and the address in any case [D-M1] [D-R2]', () => {
  const before = { version: 1, currency: 'BTC', network: 'Bitcoin', address: 'bc1same', memo: '', label: 'Old', imageKey: '' }
  const changes = changesOf({ kind: 'payment_method.update', before, change: { ...before, label: 'New' } })
  expect(changes).toEqual([
    { label: 'Address', after: 'bc1same', isExact: true },
    { label: 'Label', before: 'Old', after: 'New', isExact: false },
  ])
})

it('tells a correction in dollars, with the balances it starts from [D-L1]', () => {
  const changes = changesOf({
    kind: 'bonus',
    change: { kind: 'bonus', amount_cents: 2500, note: 'Welcome' },
    before: { availableCents: 100, bonusCents: 0 },
  })
  expect(changes.map(({ label, after }) => `${label}: ${after}`)).toEqual([
    'Amount: $25.00', 'Reason: Welcome', 'Free balance then: $1.00', 'Bonus then: $0.00',
  ])
})

it('compares a value, not the source it comes from [D-I1]', () => {
  const changes = changesOf({
    kind: 'plan.value',
    change: { value: '1.05', valueMicros: 1_050_000, at: null, source: 'March' },
    before: { value: '1.04', valueMicros: 1_040_000, at: '2026-03-01T00:00:00Z', source: 'February' },
  })
  expect(changes).toEqual([
    { label: 'Value', before: '1.04', after: '1.05', isExact: false },
    { label: 'Source', before: undefined, after: 'March', isExact: false },
    { label: 'In force from', before: undefined, after: 'The moment of confirmation', isExact: false },
  ])
})

it('has words for kinds it does not know', () => expect(titleOf('withdrawals.closeAll')).toBe('Withdrawals close all'))
