import { ChevronRight } from 'lucide-react'
import { Link } from 'react-router'
import { Amount } from '@/components/amount'
import { Card } from '@/components/card'
import type { Transaction } from '@/lib/api-types'
import { formatZoned } from '@/lib/dates'
import { paths } from '@/lib/paths'
import { TransactionIcon } from './transaction-icon'

/** Where a pending transaction stands, as far as the server says [D-M6]. */
export function stageOf({ kind, needsDestination, needsConfirmation, notBefore, approved, payout }: Transaction): string {
  if (kind !== 'withdrawal') return 'In review'
  if (needsDestination) return 'Needs an address from you'
  if (needsConfirmation) return 'Waits for your code to confirm the address'
  if (payout) return 'Being sent'
  if (approved) return 'Approved, waits for the payout'
  return notBefore ? `Can be approved from ${formatZoned(notBefore)}` : 'In review'
}

/** Pending transactions, each with its stage and the way there. */
export function MovingMoney({ transactions }: { transactions: readonly Transaction[] }) {
  return (
    <Card aria-label="On its way" className="overflow-hidden">
      <h2 className="px-5 pt-4 text-sm font-semibold sm:px-6">On its way</h2>
      <ul className="mt-2 divide-y divide-line border-t border-line">
        {transactions.map((transaction) => (
          <li key={transaction.id}>
            <Link
              to={paths.transaction(transaction.id)}
              className="flex min-h-14 items-center gap-3.5 px-4 py-2.5 text-sm transition-colors hover:bg-sunken/60 focus-visible:-outline-offset-2 sm:px-6"
            >
              <TransactionIcon title={transaction.title} />
              <span className="min-w-0 flex-1">
                <span className="block">
                  <Amount value={transaction.amount} className="font-semibold text-ink" /> <span className="text-ink-soft">{transaction.title.toLowerCase()}</span>
                </span>
                <span className="block text-ink-faint">{stageOf(transaction)}</span>
              </span>
              <ChevronRight aria-hidden className="size-4.5 shrink-0 text-ink-faint" />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
