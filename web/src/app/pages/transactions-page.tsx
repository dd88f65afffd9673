import { useSearchParams } from 'react-router'
import { Page } from '@/components/page'
import { Moving } from '@/features/transactions/components/moving'
import { StatementButton } from '@/features/transactions/components/statement-button'
import { TransactionList } from '@/features/transactions/components/transaction-list'

export function TransactionsPage() {
  const isWhole = !useSearchParams()[0].toString()
  return (
    <Page
      title="Transactions"
      description="All completed and pending transactions of your wallet."
      action={<StatementButton />}
    >
      <div className="space-y-5">
        {isWhole && <Moving />}
        <div>
          <TransactionList />
        </div>
      </div>
    </Page>
  )
}
