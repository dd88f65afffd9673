import { ReceiptText } from 'lucide-react'
import { memo, useDeferredValue, useMemo, useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Segmented } from '@/components/segmented'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import type { Transaction } from '@/lib/api-types'
import { useTransactions } from '../api/list-transactions'
import { TransactionRows } from './transaction-row'

const statuses = [
  { value: 'all', label: 'All' },
  { value: 'pending', label: 'Pending' },
  { value: 'success', label: 'Success' },
  { value: 'failed', label: 'Failed' },
] as const

const types = [
  { value: 'all', label: 'All' },
  { value: 'credit', label: 'Credit' },
  { value: 'debit', label: 'Debit' },
] as const

type Filter = { status: (typeof statuses)[number]['value']; type: (typeof types)[number]['value'] }

/** Anything that is not a credit counts as a debit. */
export function matches(transaction: Transaction, { status, type }: Filter) {
  const side = transaction.type === 'credit' ? 'credit' : 'debit'
  return (status === 'all' || transaction.status === status) && (type === 'all' || side === type)
}

const Rows = memo(TransactionRows)

export function TransactionList() {
  const { transactions, isPending, error, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useTransactions()
  const [filter, setFilter] = useState<Filter>({ status: 'all', type: 'all' })
  // The pressed filter is painted first, and thousands of rows follow.
  const applied = useDeferredValue(filter)
  const shown = useMemo(() => transactions?.filter((transaction) => matches(transaction, applied)), [transactions, applied])

  const mayFollow = shown?.length === 0 && isFetchingNextPage

  return (
    <>
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
          <EmptyState icon={ReceiptText} title="No transactions found." />
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
