/** Views of the queue, kept in the address so that a view can be bookmarked and sent. */
import type { WaitingTransaction, Verdict } from '@/features/admin/api/types'
import { TARGET_SECONDS } from '@/features/admin/components/age'
import { secondsSince } from '@/lib/durations'
import { waitsFor } from './api/list-waiting'

export type Row = { transaction: WaitingTransaction; verdict?: Verdict }

type Around = { staffId: string; now: number }

const states: Record<string, string> = {
  unobserved: 'Not observed',
  missing: 'No payment seen',
  seen: 'In no block yet',
  included: 'Confirming',
  final: 'Final',
  orphaned: 'Block gone',
  replaced: 'Replaced',
  failed: 'Failed',
}

export const chainStateName = (state: string) => states[state] ?? state

const isLate = ({ transaction }: Row, now: number) => secondsSince(transaction.createdAt, now) > TARGET_SECONDS

/** Each by its name in the address. */
export const views = [
  { value: 'all', label: 'All', holds: () => true },
  { value: 'ready', label: 'Checks pass', holds: ({ verdict }: Row) => verdict?.concerns === 0 && verdict.blockers.length === 0 },
  { value: 'attention', label: 'Needs attention', holds: ({ verdict }: Row) => (verdict?.concerns ?? 0) > 0 },
  { value: 'blocked', label: 'Blocked', holds: ({ verdict }: Row) => (verdict?.blockers.length ?? 0) > 0 },
  { value: 'unpaid', label: 'No payment', holds: ({ verdict }: Row) => verdict?.chainState === 'missing' },
  { value: 'late', label: 'Over target', holds: (row: Row, { now }: Around) => isLate(row, now) },
  { value: 'mine', label: 'Mine', holds: ({ verdict }: Row, { staffId }: Around) => verdict?.claimedBy === staffId },
] as const

/** The rows that the queue shows, as the address names them: without what is open. */
export function queueQuery(search: URLSearchParams) {
  const query = new URLSearchParams(search)
  for (const name of ['open', 'txid', 'vout']) query.delete(name)
  return query
}

export type Filter = { kind?: string; view: string; network: string }

/** Those of a kind, in a view and on a network; payouts have a page of their own. */
export function filtered(rows: readonly Row[], { kind, view, network }: Filter, around: Around): Row[] {
  const chosen = views.find(({ value }) => value === view) ?? views[0]
  return rows.filter(
    (row) =>
      (kind ? waitsFor(row.transaction) === kind : waitsFor(row.transaction) !== 'payout') &&
      (!network || row.transaction.method?.network === network) &&
      chosen.holds(row, around),
  )
}

/** What a queue row is worth looking at for; a verdict about an older revision says nothing. */
export const joined = (transactions: readonly WaitingTransaction[], verdicts: ReadonlyMap<string, Verdict>): Row[] =>
  transactions.map((transaction) => {
    const verdict = verdicts.get(transaction.id)
    return { transaction, ...(verdict?.revision === transaction.revision ? { verdict } : {}) }
  })
