import { Page } from '@/components/page'

export function EditPaymentMethodPage() {
  return <Page title="Edit payment method">{null}</Page>
}
