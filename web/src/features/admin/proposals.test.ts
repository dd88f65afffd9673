import { expect, it } from 'vitest'
import { changesOf, fieldInWords, titleOf } from './proposals'

it('tells an update by what differs, and the address in any case [D-M1] [D-R2]', () => {
  const before = { version: 1, currency: 'BTC', network: 'Bitcoin', address: 'bc1same', memo: '', label: 'Old', image: null }
  const changes = changesOf({ kind: 'payment_method.update', before, change: { ...before, label: 'New' } })
  expect(changes).toEqual([
    { label: 'Address', after: 'bc1same', isExact: true },
    { label: 'Label', before: 'Old', after: 'New', isExact: false },
  ])
})

it('tells a correction in dollars, with the balances before and afterwards [D-L1]', () => {
  const changes = changesOf({
    kind: 'bonus',
    change: { kind: 'bonus', amount: 25, note: 'Welcome' },
    before: { balance: 1, bonus: 0 },
  })
  expect(changes.map(({ label, after }) => `${label}: ${after}`)).toEqual([
    'Amount: $25.00', 'Reason: Welcome', 'Available balance when proposed: $1.00', 'Bonus when proposed: $0.00',
    'Bonus afterwards: $25.00',
  ])
})

it.each([
  ['adjustment_debit', { amount: 0.2 }, { balance: 0.3, bonus: 5 }, ['Available balance afterwards: $0.10']],
  ['adjustment_credit', { amount: 25 }, { balance: 0, bonus: 0 }, ['Available balance afterwards: $25.00, less what is owed']],
  ['release', { amount: 5 }, { balance: 1.1, bonus: 7 }, ['Available balance afterwards: $6.10', 'Bonus afterwards: $2.00']],
  ['course_refund', { amount: 100 }, { balance: 0, owed: 30 }, ['Available balance afterwards: $70.00', 'Owed afterwards: $0.00']],
  ['reversal', { amount: 100, postingKind: 'course' }, { balance: 0, owed: 0 }, []],
  ['capital_in', { amount: 100 }, { balance: 0 }, []],
])('tells what %s leaves, to the cent [D-L1]', (kind, change, before, lines) => {
  const changes = changesOf({ kind, change, before }).filter(({ label }) => label.endsWith('afterwards'))
  expect(changes.map(({ label, after }) => `${label}: ${after}`)).toEqual(lines)
})

it('tells a reversal by the transaction it takes back, and what the member has [D-B9]', () => {
  const change = { transactionId: 'x', reference: 'TNX-abc123', reverses: 7, postingKind: 'deposit', amount: 500, note: 'Charged back' }
  const changes = changesOf({ kind: 'reversal', change, before: { balance: 40, owed: 0 } })
  expect(titleOf('reversal')).toBe('Reverse a transaction')
  expect(changes.map(({ label, after }) => `${label}: ${after}`)).toEqual([
    'Transaction: TNX-abc123', 'Amount: $500.00', 'Reason: Charged back', 'Available balance when proposed: $40.00', 'Available balance afterwards: $0.00',
    'Owed when proposed: $0.00', 'Owed afterwards: $460.00',
  ])
})

it('tells the terms of a plan in the words of the contract [D-R2] [D-I2]', () => {
  const change = { title: 'Growth', min: 100, max: 5000, roi: 12.5, duration: 30, active: true }
  expect(changesOf({ kind: 'plan.create', change, before: null }).map(({ label, after }) => `${label}: ${after}`)).toEqual([
    'Title: Growth', 'Minimum: $100.00', 'Maximum: $5,000.00', 'Target: 12.5%, not guaranteed', 'Duration: 30 days', 'Offered: Yes',
  ])
})

it('compares a value, not the source it comes from [D-I1]', () => {
  const changes = changesOf({
    kind: 'plan.value',
    change: { value: 1.05, at: null, source: 'March' },
    before: { value: 1.04, at: '2026-03-01T00:00:00Z', source: 'February' },
  })
  expect(changes).toEqual([
    { label: 'Value', before: '1.04', after: '1.05', isExact: false },
    { label: 'Source', before: undefined, after: 'March', isExact: false },
    { label: 'In force from', before: undefined, after: 'Time of confirmation', isExact: false },
  ])
})

it('has words for kinds it does not know', () => expect(titleOf('withdrawals.closeAll')).toBe('Withdrawals close all'))

it('tells a moment as the trail wrote it where it is none that a browser reads [D-O3]', () =>
  expect(fieldInWords('at', '2026-11-22 20:00:00.0 +00:00:00')).toBe('In force from 2026-11-22 20:00:00.0 +00:00:00'))

it('tells until when somebody pays [D-B7] [D-O3]', () => expect(fieldInWords('until', 1_795_393_898)).toMatch(/^Paying until November 23, 2026 at \d+:\d\d (AM|PM)$/))

it('tells values and rates of the audit log as they were typed [D-O3]', () => {
  expect(fieldInWords('value_micros', 1_050_000)).toBe('Value 1.05')
  expect(fieldInWords('bidMicros', 97_312_450_000)).toBe('Bid 97312.45')
})

it('tells an announcement by its text and how long it is shown [D-M7]', () => {
  const changes = changesOf({ kind: 'announcement.publish', change: { text: 'We move tonight.', hours: 24 } })
  expect(titleOf('announcement.publish')).toBe('Announce to all members')
  expect(changes.map(({ label, after }) => `${label}: ${after}`)).toEqual(['Text: We move tonight.', 'Shown for: 24 hours'])
})
