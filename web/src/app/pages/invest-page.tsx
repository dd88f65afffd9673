import { Page } from '@/components/page'

export function InvestPage() {
  return <Page title="Invest">{null}</Page>
}
