import { expect, it } from 'vitest'
import { fieldInWords } from '@/features/admin/proposals'
import { filterOptions, isKnown, subjectOf, verbOf } from './sentences'

// The server's own files: each literal in them that looks like an action is one.
const files = import.meta.glob<string>(
  ['../../../../services/*/src/app/**/*.rs', '!../../../../services/mailer/src/app/send_*.rs', '../../../../services/chassis/src/dead_letter.rs'],
  { query: '?raw', import: 'default', eager: true },
)
const written = Object.values(files).flatMap((text) => {
  const [code = ''] = text.replace(/crash_point!\([^)]*\)/g, '').split('#[cfg(test)]')
  return [...code.matchAll(/"([a-z_]+(?:\.[a-z_]+)+)"/g)].flatMap(([, action]) => action ?? [])
})

it.each([
  ['deposit.approve', 'approved the deposit'],
  ['withdrawal.reject', 'rejected the withdrawal'],
  ['withdrawal.paid', 'marked the withdrawal as paid'],
  ['bonus.propose', 'proposed: Grant a bonus'],
  ['something.else', 'something else'],
])('says %s as a sentence [D-O3]', (action, verb) => expect(verbOf(action)).toBe(verb))

it.each([
  ['deposit.approve', 'transaction'],
  ['course.reject', 'transaction'],
  ['deposit.reverse', 'transaction'],
  ['withdrawal.paid', 'transaction'],
  ['withdrawal.cancel', 'transaction'],
  ['deposit.take_back', 'transaction'],
  ['withdrawal.end_lease', 'transaction'],
  ['bonus.propose', 'proposal'],
  ['plan.value.confirm', 'proposal'],
  ['payment_method.update.drop', 'proposal'],
  ['member.freeze', 'member'],
  ['hold.place', 'member'],
  ['case.answer', 'member'],
  ['staff.reset_totp', 'staff'],
  ['course.publish', 'version'],
  ['withdrawals.stop', undefined],
  ['liabilities.publish', undefined],
])('names what the id of %s belongs to, not the id [U12] [D-O3]', (action, subject) => expect(subjectOf(action)).toBe(subject))

it('has a sentence for every action that a service writes [D-O3]', () => {
  expect(written).toContain('payment_method.prove')
  expect([...new Set(written)].filter((action) => !isKnown(action))).toEqual([])
})

it('offers actions to filter by in words [D-O3]', () => {
  expect(filterOptions).toContainEqual({ value: 'announcement.end', label: 'Ended an announcement' })
  expect(filterOptions).toContainEqual({ value: 'bonus.', label: 'Proposal: Grant a bonus' })
  expect(filterOptions).toContainEqual({ value: 'capital_in.', label: 'Proposal: Capital paid in' })
  expect(filterOptions).toContainEqual({ value: 'deposit.approve', label: 'Approved the deposit' })
  for (const { label } of filterOptions) expect(label).not.toMatch(/[._]/)
})

it.each([
  ['total_cents', 2_852_245, 'Total $28,522.45'],
  ['received_cents', 1_200_000, 'Amount that arrived $12,000.00'],
  ['vout', 0, 'Output 0'],
  ['txid', 'c53e', 'Transaction hash c53e'],
])('has words for the field %s [D-O3]', (name, value, words) => expect(fieldInWords(name, value)).toBe(words))
