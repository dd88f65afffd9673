import { Link } from 'react-router'
import { SignedAmount } from '@/components/amount'
import { StatusBadge } from '@/components/badge'
import { LongList, LongListRow } from '@/components/long-list'
import type { Transaction } from '@/lib/api-types'
import { formatDateTimes } from '@/lib/dates'
import { paths } from '@/lib/paths'
import { TransactionIcon } from './transaction-icon'

/** Of most rows; on a phone a description takes a second line. */
export const ROW_HEIGHT = 76

/** The history line by line, each with a moment of its own. */
export function TransactionRows({ transactions }: { transactions: readonly Transaction[] }) {
  return (
    <LongList count={transactions.length} rowHeight={ROW_HEIGHT} className="divide-y divide-line">
      {(from, to) => {
        const moments = momentsOf(transactions, from, to)
        return transactions.slice(from, to).map((transaction, index) => (
          <LongListRow key={transaction.id} index={from + index} count={transactions.length}>
            <TransactionRow transaction={transaction} moment={moments[index] ?? ''} />
          </LongListRow>
        ))
      }}
    </LongList>
  )
}

/** Those of a part of the list, distinguished from its neighbours too: what looks alike stands next to each other. */
export function momentsOf(transactions: readonly Transaction[], from: number, to: number) {
  const first = Math.max(0, from - 1)
  return formatDateTimes(transactions.slice(first, to + 1).map(({ createdAt }) => createdAt)).slice(from - first)
}

/** What happened, about what and when; the whole line leads to the details. */
export function TransactionRow({ transaction, moment }: { transaction: Transaction; moment: string }) {
  const { id, title, description, status, type, amount } = transaction
  return (
    <Link
      to={paths.transaction(id)}
      className="flex min-h-18 items-center gap-3 px-4 py-3 sm:gap-3.5 transition-colors hover:bg-sunken/60 focus-visible:-outline-offset-2 sm:px-6"
    >
      <TransactionIcon title={title} />
      <span className="min-w-0 flex-1">
        <span className="flex min-w-0 flex-col gap-x-2 sm:flex-row sm:items-baseline">
          <span className="shrink-0 font-medium text-ink">{title}</span>
          {description && <span className="min-w-0 truncate text-sm text-ink-soft">{description}</span>}
        </span>
        <span className="block text-xs text-ink-faint sm:text-sm">{moment}</span>
      </span>
      <span className="flex shrink-0 flex-col items-end gap-1 sm:flex-row-reverse sm:items-center sm:gap-5">
        <SignedAmount value={amount} type={type} status={status} className="font-semibold sm:min-w-28 sm:text-end" />
        <StatusBadge status={status} />
      </span>
    </Link>
  )
}
