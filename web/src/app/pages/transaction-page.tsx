import { SearchX } from 'lucide-react'
import { useParams } from 'react-router'
import { ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { Page } from '@/components/page'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { useTransaction } from '@/features/transactions/api/get-transaction'
import { TransactionDetails } from '@/features/transactions/components/transaction-details'
import { paths } from '@/lib/paths'

export function TransactionPage() {
  const { id = '' } = useParams()
  const { transaction, isPending, isMissing, error, retry } = useTransaction(id)
  return (
    <Page title="Transaction details" width="form" back>
      {transaction ? (
        <TransactionDetails transaction={transaction} />
      ) : isPending ? (
        <div className="space-y-4">
          <Skeletons count={1} className="h-64" label="Loading the transaction" />
          <Skeletons count={1} className="h-72" label="" />
        </div>
      ) : (
        <Card>
          {isMissing ? (
            <EmptyState
              icon={SearchX}
              title="Transaction not found"
              action={
                <ButtonLink to={paths.transactions} variant="secondary">
                  All transactions
                </ButtonLink>
              }
            />
          ) : (
            <ErrorPanel error={error} onRetry={retry} />
          )}
        </Card>
      )}
    </Page>
  )
}
