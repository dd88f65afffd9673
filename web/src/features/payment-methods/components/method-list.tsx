import { Pencil, Plus, Trash2, Wallet } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '@/components/badge'
import { ButtonLink, IconButton, IconLink } from '@/components/button'
import { Card, CardHeader } from '@/components/card'
import { CoinMark } from '@/components/coin-mark'
import { Confirmation } from '@/components/confirmation'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import type { PaymentMethod } from '@/lib/api-types'
import { paths } from '@/lib/paths'
import { useDeletePaymentMethod } from '../api/change-payment-method'
import { usePaymentMethods } from '../api/list-payment-methods'
import { ConfirmAddress } from './confirm-address'

/** The member's own addresses first, then where deposits go. */
export function MethodList() {
  const { data, isPending, isFetching, error, refetch } = usePaymentMethods()
  const [doomed, setDoomed] = useState<PaymentMethod | null>(null)
  if (isPending) {
    return (
      <div className="space-y-3">
        <Skeletons count={3} className="h-20" label="Loading payment methods" />
      </div>
    )
  }
  if (!data) {
    return (
      <Card>
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      </Card>
    )
  }
  const own = data.filter(({ scope }) => scope === 'personal')
  const platform = data.filter(({ scope }) => scope !== 'personal')
  return (
    <div className="space-y-5">
      <Card className="overflow-hidden">
        <CardHeader title="Your addresses" description="Where withdrawals can be sent." />
        {own.length === 0 ? (
          <EmptyState
            icon={Wallet}
            title="No address saved yet"
            description="Save an address to have it filled in for you when you withdraw."
            action={
              <ButtonLink to={paths.addPaymentMethod} variant="secondary">
                Add payment method
              </ButtonLink>
            }
          />
        ) : (
          <MethodRows methods={own} onDelete={setDoomed} />
        )}
      </Card>
      {platform.length > 0 && (
        <Card className="overflow-hidden">
          <CardHeader title="Deposit methods" description="Ours. Begin with a deposit before you pay: a payment without one has to be matched by hand." />
          <MethodRows methods={platform} onDelete={setDoomed} />
        </Card>
      )}
      <DeleteDialog method={doomed} onClose={() => setDoomed(null)} />
    </div>
  )
}

function MethodRows({ methods, onDelete }: { methods: PaymentMethod[]; onDelete: (method: PaymentMethod) => void }) {
  return (
    <ul className="mt-4 divide-y divide-line border-t border-line">
      {methods.map((method) => (
        <li key={method.id} className="flex items-center gap-3.5 px-5 py-3.5 sm:px-6">
          <CoinMark currency={method.currency} image={method.image} />
          <div className="min-w-0 flex-1">
            <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
              {method.label || method.currency}
              <Badge>{`${method.currency} · ${method.network}`}</Badge>
            </p>
            <p className="truncate font-mono text-sm text-ink-faint" title={method.address}>
              {method.address}
            </p>
            {method.needsConfirmation && <ConfirmAddress method={method} />}
          </div>
          {method.editable && (
            <div className="flex shrink-0">
              <IconLink to={paths.editPaymentMethod(method.id)} label={`Edit ${method.label || method.currency}`}>
                <Pencil aria-hidden className="size-4.5" />
              </IconLink>
              <IconButton label={`Delete ${method.label || method.currency}`} onClick={() => onDelete(method)}>
                <Trash2 aria-hidden className="size-4.5" />
              </IconButton>
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}

function DeleteDialog({ method, onClose }: { method: PaymentMethod | null; onClose: () => void }) {
  const remove = useDeletePaymentMethod()
  const confirm = () => method && remove.mutateAsync(method.id, { onSettled: onClose })
  return (
    <Confirmation
      act="DELETE /payment-methods/{id}"
      facts={method ? { name: method.label || method.currency, network: method.network } : undefined}
      onConfirm={confirm}
      onClose={onClose}
    />
  )
}

export const AddMethodLink = () => (
  <ButtonLink to={paths.addPaymentMethod}>
    <Plus aria-hidden className="size-4.5" />
    Add payment method
  </ButtonLink>
)
