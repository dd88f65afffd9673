import { ReceiptText } from 'lucide-react'
import { Suspense, lazy, memo, useDeferredValue, useMemo } from 'react'
import { Button, ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { Segmented } from '@/components/segmented'
import { LongList, LongListRow } from '@/components/long-list'
import { Skeleton, Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import type { Transaction } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'
import { loadChunk } from '@/lib/load-chunk'
import { paths } from '@/lib/paths'
import { useTransactions } from '../api/list-transactions'
import { useSearchTransactions } from '../api/search-transactions'
import { everything, isSearch, matches, statuses, types, useFilter } from '../filter'
import { ROW_HEIGHT, TransactionRow, momentsOf } from './transaction-row'

const TransactionSearch = lazy(async () => ({ default: (await loadChunk(() => import('./transaction-search'))).TransactionSearch }))

/** The history line by line; the first line of a day names it. */
const Rows = memo(function Rows({ transactions }: { transactions: readonly Transaction[] }) {
  const dayOf = (one: Transaction | undefined) => one && formatDay(one.createdAt)
  return (
    <LongList count={transactions.length} rowHeight={ROW_HEIGHT} className="divide-y divide-line">
      {(from, to) => {
        const moments = momentsOf(transactions, from, to)
        return transactions.slice(from, to).map((transaction, index) => {
          const day = dayOf(transaction)
          return (
            <LongListRow key={transaction.id} index={from + index} count={transactions.length}>
              {day !== dayOf(transactions[from + index - 1]) && <p className="bg-sunken px-4 py-1.5 text-xs font-semibold sm:px-6">{day}</p>}
              <TransactionRow transaction={transaction} moment={moments[index] ?? ''} />
            </LongListRow>
          )
        })
      }}
    </LongList>
  )
})

export function TransactionList() {
  const [filter, setFilter] = useFilter()
  const all = useTransactions()
  const found = useSearchTransactions(filter)
  const { transactions, isPending, error, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage } = isSearch(filter) ? found : all
  // The pressed filter is painted first, and thousands of rows follow.
  const applied = useDeferredValue(filter)
  const shown = useMemo(() => transactions?.filter((transaction) => matches(transaction, applied)), [transactions, applied])

  const mayFollow = shown?.length === 0 && isFetchingNextPage

  return (
    <>
      <div className="mb-4">
        <Suspense fallback={<Skeleton className="h-31 sm:h-18" />}>
          <TransactionSearch search={filter} onChange={(search) => setFilter({ ...filter, ...search })} shown={shown ?? []} />
        </Suspense>
      </div>
      <div className="mb-4 flex flex-wrap gap-x-4 gap-y-2">
        <Segmented legend="Status" options={statuses} value={filter.status} onChange={(status) => setFilter({ ...filter, status })} />
        <Segmented legend="Type" options={types} value={filter.type} onChange={(type) => setFilter({ ...filter, type })} />
      </div>
      <Card className="overflow-hidden">
        {isPending || mayFollow ? (
          <div className="space-y-2 p-4">
            <Skeletons count={5} className="h-16" label="Loading transactions" />
          </div>
        ) : !shown ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
        ) : shown.length === 0 ? (
          <NoTransactions isFiltered={isSearch(filter) || applied.status !== 'all' || applied.type !== 'all'} onShowAll={() => setFilter(everything)} />
        ) : (
          <Rows transactions={shown} />
        )}
      </Card>
      {hasNextPage && (
        <div className="mt-5 text-center">
          <Button variant="secondary" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load older transactions
          </Button>
        </div>
      )}
    </>
  )
}

/** Nothing matches the filter, or nothing has happened yet. */
const NoTransactions = ({ isFiltered, onShowAll }: { isFiltered: boolean; onShowAll: () => void }) =>
  isFiltered ? (
    <EmptyState
      icon={ReceiptText}
      title="No transactions found."
      description="None of your transactions matches these filters."
      action={
        <Button variant="secondary" onClick={onShowAll}>
          Show all
        </Button>
      }
    />
  ) : (
    <EmptyState
      icon={ReceiptText}
      title="No transactions found."
      description="What you deposit, invest or withdraw appears here."
      action={<ButtonLink to={paths.deposits}>Make a deposit</ButtonLink>}
    />
  )
