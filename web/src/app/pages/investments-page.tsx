import { Page } from '@/components/page'

export function InvestmentsPage() {
  return <Page title="Investments">{null}</Page>
}
