import { ShieldAlert } from 'lucide-react'
import { Suspense, lazy, type ComponentType, type ReactNode } from 'react'
import { brand } from '@/lib/brand'
import { treasuryKeys } from '@/lib/env'
import type { PaymentMethod } from '@/lib/api-types'
import type { SignedVersion } from '@/lib/treasury'
import { Skeleton } from './skeleton'
import { SupportLink } from './support-link'
import { useSignature } from './use-signature'

export type PlatformAddressProps = { method: SignedVersion & Pick<PaymentMethod, 'derivation'>; children: ReactNode }

/** Where its code does not come, no address was verified. */
const DerivedAddress = lazy<ComponentType<PlatformAddressProps>>(() =>
  import('./derived-address').then((module) => ({ default: module.DerivedAddress }), () => ({ default: Unverified })),
)

const checking = <Skeleton className="h-46" />

/**
 * Shows what is made of an address of the platform only if the treasury key signed it, or the key that it is derived from; a build
 * without key shows what is not signed [D-M1] [D-N2].
 */
export function PlatformAddress({ method, children }: PlatformAddressProps) {
  const { derivation } = method
  const signature = useSignature(derivation ? { ...method, address: derivation.key } : method)
  if (treasuryKeys.length > 0 && signature !== 'signed') {
    return signature === 'checking' ? checking : <DoNotSend currency={method.currency} />
  }
  return derivation ? <Suspense fallback={checking}><DerivedAddress method={method}>{children}</DerivedAddress></Suspense> : children
}

const Unverified = ({ method }: PlatformAddressProps) => <DoNotSend currency={method.currency} />

export function DoNotSend({ currency }: { currency: string }) {
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-negative bg-negative-soft p-4 text-sm sm:p-5">
      <ShieldAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-negative" />
      <div className="min-w-0">
        <p className="text-base font-semibold text-negative">Do not send money to this address</p>
        <p className="mt-1 text-ink">
          {`We could not verify that this ${currency} address belongs to ${brand.name}, so we are not showing it. Money sent to a wrong address cannot be recovered.`}
        </p>
        <ol className="mt-3 list-decimal space-y-1 pl-5 text-ink-soft">
          <li>Do not pay to an address from this page, a message or an earlier payment.</li>
          <li>Reload the page, or choose another payment method.</li>
          <li>
            {'If you still see this, write to '}
            <SupportLink />
            {' and wait for our answer. If you have already paid, include the transaction hash.'}
          </li>
        </ol>
      </div>
    </div>
  )
}
