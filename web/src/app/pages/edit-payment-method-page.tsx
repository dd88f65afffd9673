import { SearchX } from 'lucide-react'
import { useParams } from 'react-router'
import { Card } from '@/components/card'
import { Page } from '@/components/page'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { useEditPaymentMethod } from '@/features/payment-methods/api/change-payment-method'
import { usePaymentMethods } from '@/features/payment-methods/api/list-payment-methods'
import { MethodForm } from '@/features/payment-methods/components/method-form'

export function EditPaymentMethodPage() {
  const { id = '' } = useParams()
  const { data, isPending, isFetching, error, refetch } = usePaymentMethods()
  const edit = useEditPaymentMethod(id)
  const method = data?.find((candidate) => candidate.id === id && candidate.editable)
  return (
    <Page title="Edit payment method" width="form" back>
      {method ? (
        <MethodForm
          submitLabel="Save changes"
          values={{
            currency: method.currency,
            network: method.network,
            address: method.address,
            memo: method.memo ?? '',
            label: method.label ?? '',
          }}
          onSave={(fields) => edit.mutateAsync({ fields })}
        />
      ) : isPending ? (
        <Skeletons count={1} className="h-96" label="Loading the payment method" />
      ) : (
        <Card>
          {data ? (
            <EmptyState icon={SearchX} title="Payment method not found" />
          ) : (
            <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
          )}
        </Card>
      )}
    </Page>
  )
}
