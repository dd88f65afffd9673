import { Page } from '@/components/page'
import { StatementButton } from '@/features/transactions/components/statement-button'
import { TransactionList } from '@/features/transactions/components/transaction-list'

export function TransactionsPage() {
  return (
    <Page
      title="Transactions"
      description="Everything that moved, or is about to move, in your wallet."
      action={<StatementButton />}
    >
      <TransactionList />
    </Page>
  )
}
