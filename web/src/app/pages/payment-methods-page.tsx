import { Page } from '@/components/page'

export function PaymentMethodsPage() {
  return <Page title="Payment methods">{null}</Page>
}
