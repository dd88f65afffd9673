import { Page } from '@/components/page'
import { useAddPaymentMethod } from '@/features/payment-methods/api/change-payment-method'
import { MethodForm } from '@/features/payment-methods/components/method-form'
import { useSubmissionKey } from '@/lib/submission'

export function AddPaymentMethodPage() {
  const add = useAddPaymentMethod()
  const submissionKey = useSubmissionKey()
  return (
    <Page title="Add payment method" description="An address you own, for withdrawals." width="form" back>
      <MethodForm
        submitLabel="Add payment method"
        onSave={(fields) =>
          add.mutateAsync(
            { fields, idempotencyKey: submissionKey.for(fields) },
            { onSettled: (_data, error) => submissionKey.settle(error ?? undefined) },
          )
        }
      />
    </Page>
  )
}
