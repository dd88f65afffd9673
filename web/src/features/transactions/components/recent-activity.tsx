import { ReceiptText } from 'lucide-react'
import { Link } from 'react-router'
import { Card, CardHeader } from '@/components/card'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { paths } from '@/lib/paths'
import { useNewestTransactions } from '../api/list-transactions'
import { TransactionRows } from './transaction-row'

const SHOWN = 3

/** The newest three transactions [DASH-04]. */
export function RecentActivity() {
  const { transactions, isPending, error, refetch, isFetching } = useNewestTransactions()
  return (
    <Card className="flex flex-col overflow-hidden">
      <CardHeader
        title="Recent Activity"
        action={
          <Link
            to={paths.transactions}
            className="-my-3 inline-flex min-h-11 items-center text-sm font-semibold text-accent-text hover:underline"
          >
            View All
          </Link>
        }
      />
      <div className="mt-3 flex min-h-58 flex-1 flex-col border-t border-line">
        {isPending ? (
          <div className="space-y-2 p-4">
            <Skeletons count={SHOWN} className="h-16" label="Loading recent transactions" />
          </div>
        ) : !transactions ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
        ) : transactions.length === 0 ? (
          <EmptyState icon={ReceiptText} title="No recent transactions found." description="What you deposit, invest or withdraw appears here." />
        ) : (
          <TransactionRows transactions={transactions.slice(0, SHOWN)} />
        )}
      </div>
    </Card>
  )
}
