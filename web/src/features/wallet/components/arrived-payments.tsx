import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { ChainPayment } from '@/lib/api-types'
import { formatMoney } from '@/lib/money'
import { queryKeys } from '@/lib/query-keys'
import { formatAsset } from '@/lib/units'

/** What arrived at own addresses of the member and belongs to no deposit yet, regardless of the amount [D-N2]. */
export function ArrivedPayments() {
  const { data = [] } = useQuery({
    queryKey: [...queryKeys.paymentMethods, 'arrived'],
    queryFn: async ({ signal }) => (await api.get<{ arrived?: ChainPayment[] }>('/payment-methods', { signal })).arrived ?? [],
    refetchInterval: 15_000,
    meta: { silent: true },
  })
  return (
    <div role="status" className="empty:hidden">
      {data.length > 0 && <Payments payments={data} />}
    </div>
  )
}

function Payments({ payments }: { payments: ChainPayment[] }) {
  return (
    <ul className="text-sm">
      {payments.map((payment) => (
        <li key={`${payment.txid} ${payment.index}`} className="mt-3 rounded-lg bg-positive-soft p-3">
          <span className="font-semibold">{`A payment of ${formatAsset(payment)} arrived`}</span>
          <span>{payment.value === undefined ? '.' : `, worth ${formatMoney(payment.value)}.`}</span>{' '}
          <span>{payment.state === 'final' ? 'It is confirmed.' : 'The network is confirming it.'}</span>
        </li>
      ))}
    </ul>
  )
}
