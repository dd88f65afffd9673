/** Proposals in words: their titles and what changes from what to what. */
import { formatDateTime } from '@/lib/dates'
import { formatCents } from '@/lib/money'
import type { Proposal } from './api/types'

const titles: Record<string, string> = {
  bonus: 'Grant a bonus',
  release: 'Release bonus into the balance',
  adjustment_credit: 'Add to the balance',
  adjustment_debit: 'Deduct from the balance',
  'plan.create': 'Offer a new plan',
  'plan.update': 'Change the terms of a plan',
  'plan.value': 'Publish a value',
  'payment_method.create': 'Add a platform method',
  'payment_method.update': 'Change a platform method',
  'payment_method.archive': 'End a platform method',
  'withdrawals.reopen': 'Open withdrawals again',
}

const words = (name: string) => {
  const spaced = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[._]/g, ' ').toLowerCase()
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

export const titleOf = (kind: string) => titles[kind] ?? words(kind)

/** Machine forms of what another field says readably. */
const left = new Set(['valueMicros', 'kind', 'imageKey', 'version'])

const labels: Record<string, string> = {
  amountCents: 'Amount',
  minCents: 'Least amount',
  maxCents: 'Most at once',
  roiBasisPoints: 'Target',
  durationDays: 'Duration',
  active: 'Offered',
  note: 'Reason',
  at: 'In force from',
  availableCents: 'Free balance now',
  bonusCents: 'Bonus now',
}

function readable(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'number' && name.endsWith('Cents')) return formatCents(value)
  if (typeof value === 'number' && name.endsWith('BasisPoints')) return `${value / 100}%, not guaranteed`
  if (typeof value === 'number' && name.endsWith('Days')) return `${value} days`
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (name === 'at' && typeof value === 'string') return formatDateTime(value)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)
}

export type Change = { label: string; before?: string; after: string; isExact: boolean }

/** Field by field; fields that stay as they are come without `before`. */
export function changesOf({ kind, change, before }: Pick<Proposal, 'kind' | 'change' | 'before'>): Change[] {
  const rows = Object.entries(change)
    .filter(([name]) => !left.has(name))
    .map(([name, value]) => {
      const after = name === 'at' && value === null ? 'the moment of confirmation' : readable(name, value)
      const old = before && name in before ? readable(name, before[name]) : undefined
      return { label: labels[name] ?? words(name), before: old === after ? undefined : old, after, isExact: name === 'address' || name === 'memo' }
    })
  // What a correction starts from stands beside it, not in its place.
  const isCorrection = before && !kind.includes('.')
  const context = isCorrection
    ? Object.entries(before).map(([name, value]) => ({ label: labels[name] ?? words(name), after: readable(name, value), isExact: false }))
    : []
  return [...rows.filter(({ after, before: old }) => after !== '–' || old), ...context]
}
