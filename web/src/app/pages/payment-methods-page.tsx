import { Page } from '@/components/page'
import { AddMethodLink, MethodList } from '@/features/payment-methods/components/method-list'

export function PaymentMethodsPage() {
  return (
    <Page title="Payment methods" description="The addresses your money comes from and goes to." action={<AddMethodLink />}>
      <MethodList />
    </Page>
  )
}
