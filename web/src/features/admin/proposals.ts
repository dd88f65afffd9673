/** Titles and changes of proposals as text. */
import { formatDateTime } from '@/lib/dates'
import { formatCents, formatMoney, toCents } from '@/lib/money'
import { formatRate } from '@/lib/units'
import type { MovementKind, Proposal } from './api/types'
import { movementKinds } from './movements'

export const titles: Record<string, string> = {
  bonus: 'Grant a bonus',
  release: 'Release bonus into the balance',
  adjustment_credit: 'Add to the balance',
  adjustment_debit: 'Deduct from the balance',
  reversal: 'Reverse a transaction',
  course_refund: 'Refund the course',
  payout_correction: 'Correct a payout',
  'plan.create': 'Offer a new plan',
  'plan.update': 'Change the terms of a plan',
  'plan.value': 'Publish a value',
  'payment_method.create': 'Add a platform method',
  'payment_method.update': 'Change a platform method',
  'payment_method.archive': 'Retire a platform method',
  'rate.publish': 'Publish a rate',
  'announcement.publish': 'Announce to all members',
  'withdrawals.reopen': 'Resume withdrawals',
  'staff.invite': 'Invite a staff member',
  'staff.disable': 'Disable a staff account',
  'staff.role': 'Change a staff role',
  'factors.reset': 'Remove lost second factors',
  'ledger.rebuild': 'Rebuild an account from its entries',
}

const words = (name: string) => {
  const spaced = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[._]/g, ' ').toLowerCase()
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

const isMovement = (kind: string): kind is MovementKind => kind in movementKinds

export const titleOf = (kind: string) => titles[kind] ?? (isMovement(kind) ? movementKinds[kind].label : words(kind))

/** The fields worth reading, in the order of reading, with their names; the rest are machine forms of the same. */
const labels: Record<string, string> = {
  reference: 'Transaction',
  outcome: 'What became of it',
  planTitle: 'Plan',
  amount: 'Amount',
  book: 'Of that, cost of the asset',
  amountCents: 'Amount',
  accountId: 'Account',
  balanceCents: 'Balance',
  entries: 'Entries',
  note: 'Reason',
  text: 'Text',
  hours: 'Shown for',
  title: 'Title',
  subtitle: 'Subtitle',
  min: 'Minimum',
  max: 'Maximum',
  roi: 'Target',
  duration: 'Duration',
  active: 'Offered',
  riskClass: 'Risk class',
  holdings: 'Holdings',
  manager: 'Manager',
  costs: 'Costs',
  costPercent: 'Costs a year',
  minHoldingDays: 'Minimum holding time',
  exitFeePercent: 'Exit fee',
  documentUrl: 'Document',
  value: 'Value',
  asset: 'Asset',
  bid: 'Bid, for deposits',
  ask: 'Ask, for payouts',
  validMinutes: 'Counts for',
  source: 'Source',
  document: 'Document',
  issuer: 'Issued by',
  documentAt: 'Date of the document',
  documentSha256: 'SHA-256 of its file',
  gains: 'Gains of open trades at this value',
  at: 'In force from',
  countedAt: 'Counted',
  currency: 'Currency',
  network: 'Network',
  address: 'Address',
  memo: 'Memo',
  name: 'Name',
  email: 'Email',
  role: 'Role',
  label: 'Label',
  signature: 'Signature',
  archived: 'Retired',
  balance: 'Available balance when proposed',
  bonus: 'Bonus when proposed',
  capital: 'Capital when proposed',
  planCash: 'Cash of the plan when proposed',
  planAssets: 'Assets of the plan when proposed',
  owed: 'Owed when proposed',
  reasonCode: 'Reason code',
  until: 'Paying until',
  receivedCents: 'Amount that arrived',
  vout: 'Output',
  txid: 'Transaction hash',
  returned: 'What went back',
  arrivedTxid: 'Transaction hash of what arrived',
  arrivedVout: 'Output of what arrived',
  status: 'Status',
  memberId: 'Member',
}

const outcomes: Record<string, string> = {
  other_transaction: 'It was paid with another transaction',
  not_sent: 'It was not sent, and can be paid again',
  arrived: 'It arrived with another amount, and is paid',
}

const dollars = ['gains', 'amount', 'book', 'min', 'max', 'balance', 'bonus', 'owed', 'capital', 'planCash', 'planAssets']

/** What a new value follows upon is not replaced by it; only the value itself is compared. */
const compared = (kind: string, name: string) => kind !== 'plan.value' || name === 'value'

function readable(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return name === 'at' ? 'Time of confirmation' : '–'
  if (typeof value === 'number' && name.endsWith('Cents')) return formatCents(value)
  // Values and rates of the audit log, exactly.
  if (typeof value === 'number' && name.endsWith('Micros')) return String(value / 1_000_000)
  if (typeof value === 'number' && dollars.includes(name)) return formatMoney(value)
  if (typeof value === 'number' && name === 'roi') return `${value}%, not guaranteed`
  if (typeof value === 'number' && (name === 'duration' || name === 'minHoldingDays')) return `${value} days`
  if (typeof value === 'number' && name === 'hours') return `${value} hours`
  if (typeof value === 'number' && name.endsWith('Percent')) return `${value}%`
  if (typeof value === 'number' && name === 'validMinutes') return `${value} minutes`
  if (typeof value === 'number' && (name === 'bid' || name === 'ask')) return formatRate(String(value))
  if (typeof value === 'number' && name === 'until') return formatDateTime(new Date(value * 1000).toISOString())
  if (name === 'outcome' && typeof value === 'string') return outcomes[value] ?? words(value)
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  // The audit log keeps what services wrote, which may not be a date that a browser can parse.
  if (/(^a|A)t$/.test(name) && typeof value === 'string' && !Number.isNaN(Date.parse(value))) return formatDateTime(value)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)
}

/** A field of the audit log as text: `Amount $25.00`. */
export const fieldInWords = (name: string, value: unknown) => {
  // The audit log keeps the services' names, e.g. `amount_cents`.
  const key = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return `${labels[key] ?? words(key.replace(/(Cents|Micros)$/, ''))} ${readable(key, value)}`
}

/** Which way the amount moves what stands in `before`. */
const moves: Record<string, { balance?: 1 | -1; bonus?: 1 | -1 }> = {
  bonus: { bonus: 1 },
  release: { bonus: -1, balance: 1 },
  adjustment_credit: { balance: 1 },
  adjustment_debit: { balance: -1 },
  reversal: { balance: -1 },
  course_refund: { balance: 1 },
}

/** What is left of a member's money if nothing else changes it: a debt is settled first, and what the balance lacks is owed. */
function balancesAfter({ kind, change, before }: Pick<Proposal, 'kind' | 'change' | 'before'>): Record<string, Change[]> {
  const cents = (of: Record<string, unknown>, name: string) => (typeof of[name] === 'number' ? toCents(of[name]) : undefined)
  const amount = cents(change, 'amount')
  const [balance, bonus, owed] = ['balance', 'bonus', 'owed'].map((name) => cents(before ?? {}, name))
  const by = moves[kind]
  // The reversal of a payment for the course ends the access, and leaves the balance.
  if (!by || amount === undefined || change['postingKind'] === 'course') return {}
  const line = (label: string, after: string): Change[] => [{ label, after, isExact: false }]
  const after: Record<string, Change[]> = {}
  if (by.balance && balance !== undefined) {
    const rest = balance - (owed ?? 0) + by.balance * amount
    // Only an empty balance may stand beside a debt.
    const isOpen = owed === undefined && by.balance > 0 && balance === 0
    after['balance'] = line('Available balance afterwards', `${formatCents(Math.max(rest, 0))}${isOpen ? ', less what is owed' : ''}`)
    if (owed !== undefined) after['owed'] = line('Owed afterwards', formatCents(Math.max(-rest, 0)))
  }
  if (by.bonus && bonus !== undefined) after['bonus'] = line('Bonus afterwards', formatCents(bonus + by.bonus * amount))
  return after
}

export type Change = { label: string; before?: string; after: string; isExact: boolean }

/** Field by field. Of an update only what differs, and always the address; `before` stands where something is replaced. */
export function changesOf(proposal: Pick<Proposal, 'kind' | 'change' | 'before'>): Change[] {
  const { kind, change, before } = proposal
  const [next, old] = [change, before ?? {}]
  const afterwards = balancesAfter(proposal)
  const showsWhatStays = !kind.includes('.') || kind.startsWith('staff.')
  return Object.entries(labels).flatMap(([name, label]) => {
    const isExact = ['address', 'memo', 'signature', 'documentSha256'].includes(name)
    if (!(name in next)) return showsWhatStays && name in old ? [{ label, after: readable(name, old[name]), isExact }, ...(afterwards[name] ?? [])] : []
    const after = readable(name, next[name])
    const replaced = name in old && compared(kind, name) ? readable(name, old[name]) : undefined
    if (after === '–' && (!replaced || replaced === '–')) return []
    if (replaced === after) return kind.endsWith('.update') && name !== 'address' ? [] : [{ label, after, isExact }]
    return [{ label, before: replaced, after, isExact }]
  })
}
