import { ReceiptText } from 'lucide-react'
import { memo, useDeferredValue, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { Button, ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { Segmented } from '@/components/segmented'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import type { Transaction } from '@/lib/api-types'
import { paths } from '@/lib/paths'
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

/** In the address, so that it is there again after Back. */
function useFilter() {
  const [params, setParams] = useSearchParams()
  const [status, type] = [params.get('status'), params.get('type')]
  const filter = useMemo<Filter>(
    () => ({
      status: statuses.find(({ value }) => value === status)?.value ?? 'all',
      type: types.find(({ value }) => value === type)?.value ?? 'all',
    }),
    [status, type],
  )
  const setFilter = (next: Filter) =>
    setParams(new URLSearchParams(Object.entries(next).filter(([, value]) => value !== 'all')), { replace: true, preventScrollReset: true })
  return [filter, setFilter] as const
}

const Rows = memo(TransactionRows)

export function TransactionList() {
  const { transactions, isPending, error, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useTransactions()
  const [filter, setFilter] = useFilter()
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
          <NoTransactions isFiltered={applied.status !== 'all' || applied.type !== 'all'} onShowAll={() => setFilter({ status: 'all', type: 'all' })} />
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
