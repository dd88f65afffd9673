import { Page } from '@/components/page'
import { StatementButton } from '@/features/transactions/components/statement-button'
import { TransactionList } from '@/features/transactions/components/transaction-list'

export function TransactionsPage() {
  return (
    <Page
      title="Transactions"
      description="All completed and pending transactions of your wallet."
      action={<StatementButton />}
    >
      <TransactionList />
    </Page>
  )
}
