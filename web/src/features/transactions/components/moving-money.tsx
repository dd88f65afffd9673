import { ChevronRight } from 'lucide-react'
import { Link } from 'react-router'
import { Amount } from '@/components/amount'
import { Card } from '@/components/card'
import type { Transaction } from '@/lib/api-types'
import { formatMoment, formatZoned } from '@/lib/dates'
import { paths } from '@/lib/paths'
import { currentOf, nameOf } from '../steps'
import { TransactionIcon } from './transaction-icon'

/** Where it stands, with the time that the server gives. */
function stageOf(transaction: Transaction): string {
  const step = currentOf(transaction)
  if (!step) return ''
  const { key, note, expectedBy } = step
  if (key === 'waiting' && expectedBy) return `Can be approved from ${formatZoned(expectedBy)}`
  if (key === 'address' && note) return note
  return expectedBy ? `${nameOf(step)}, usually by ${formatMoment(expectedBy)}` : nameOf(step)
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
