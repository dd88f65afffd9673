import { usePaymentMethods } from '@/features/payment-methods/api/list-payment-methods'
import { LastPayoutFields } from '@/features/wallet/components/last-payout-fields'
import type { LastPayoutProps } from '@/lib/last-payout'

/** Where the balance of an account that is closed can be paid. */
export function LastPayout(props: LastPayoutProps) {
  const methods = usePaymentMethods()
  const isOwn = ({ scope }: { scope: string }) => scope === 'personal'
  const platform = methods.data?.filter((method) => !isOwn(method))
  return <LastPayoutFields {...props} methods={{ ...methods, data: platform }} saved={methods.data?.filter(isOwn) ?? []} />
}
