import { Page } from '@/components/page'

export function WithdrawalsPage() {
  return <Page title="Withdrawal">{null}</Page>
}
