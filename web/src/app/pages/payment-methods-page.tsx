import { Page } from '@/components/page'
import { AddMethodLink, MethodList } from '@/features/payment-methods/components/method-list'

export function PaymentMethodsPage() {
  return (
    <Page title="Payment methods" description="Your addresses for withdrawals, and ours for deposits." action={<AddMethodLink />}>
      <MethodList />
    </Page>
  )
}
