import { ShieldAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { brand } from '@/lib/brand'
import { treasuryKeys } from '@/lib/env'
import type { SignedVersion } from '@/lib/treasury'
import { Skeleton } from './skeleton'
import { SupportLink } from './support-link'
import { useSignature } from './use-signature'

type PlatformAddressProps = { method: SignedVersion; children: ReactNode }

/** Shows what is made of an address of the platform only if the treasury key signed it; a build without key shows it [D-M1]. */
export function PlatformAddress({ method, children }: PlatformAddressProps) {
  const signature = useSignature(method)
  if (treasuryKeys.length === 0 || signature === 'signed') return children
  if (signature === 'checking') return <Skeleton className="h-46" />
  return <DoNotSend currency={method.currency} />
}

function DoNotSend({ currency }: { currency: string }) {
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
