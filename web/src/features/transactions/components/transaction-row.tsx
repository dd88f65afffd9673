import { Link } from 'react-router'
import { SignedAmount } from '@/components/amount'
import { StatusBadge } from '@/components/badge'
import type { Transaction } from '@/lib/api-types'
import { formatDateTime } from '@/lib/dates'
import { paths } from '@/lib/paths'
import { TransactionIcon } from './transaction-icon'

/** One line of the history; the whole line leads to the details. */
export function TransactionRow({ transaction }: { transaction: Transaction }) {
  const { id, title, createdAt, status, type, amount } = transaction
  return (
    <Link
      to={paths.transaction(id)}
      className="flex min-h-18 items-center gap-3 px-4 py-3 sm:gap-3.5 transition-colors hover:bg-sunken/60 focus-visible:-outline-offset-2 sm:px-6"
    >
      <TransactionIcon title={title} />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium text-ink">{title}</span>
        <span className="block text-sm text-ink-faint">{formatDateTime(createdAt)}</span>
      </span>
      <span className="flex shrink-0 flex-col items-end gap-1 sm:flex-row-reverse sm:items-center sm:gap-5">
        <SignedAmount value={amount} type={type} status={status} className="font-semibold sm:min-w-32 sm:text-right" />
        <StatusBadge status={status} />
      </span>
    </Link>
  )
}
