import { Page } from '@/components/page'

export function AddPaymentMethodPage() {
  return <Page title="Add payment method">{null}</Page>
}
