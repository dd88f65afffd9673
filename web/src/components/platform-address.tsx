import { Suspense, lazy, type ComponentType } from 'react'
import { treasuryKeys } from '@/lib/brand'
import type { PlatformAddressProps } from './derived-address'
import { Skeleton } from './skeleton'
import { useSignature } from './use-signature'

/** Its code is seldom needed. Where it does not come, the address is not shown either. */
const DoNotSend = lazy<ComponentType<{ currency: string }>>(() =>
  import('./do-not-send').then(
    (module) => ({ default: module.DoNotSend }),
    () => ({ default: () => <p role="alert">Do not send money to this address</p> }),
  ),
)

const DerivedAddress = lazy<ComponentType<PlatformAddressProps>>(() =>
  import('./derived-address').then(
    (module) => ({ default: module.DerivedAddress }),
    () => ({ default: ({ method }) => <DoNotSend currency={method.currency} /> }),
  ),
)

/**
 * Shows what is made of an address of the platform only if the treasury key signed it, or the key that it is derived from; a build
 * without key shows what is not signed [D-M1] [D-N2].
 */
export function PlatformAddress({ method, children }: PlatformAddressProps) {
  const { derivation } = method
  const signature = useSignature(derivation ? { ...method, address: derivation.key } : method)
  const isRefused = treasuryKeys.length > 0 && signature !== 'signed'
  if (!isRefused && !derivation) return children
  const checking = <Skeleton className="h-46" />
  if (isRefused && signature === 'checking') return checking
  return (
    <Suspense fallback={checking}>
      {isRefused ? <DoNotSend currency={method.currency} /> : <DerivedAddress method={method}>{children}</DerivedAddress>}
    </Suspense>
  )
}
