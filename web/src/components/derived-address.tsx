import type { ReactNode } from 'react'
import type { PaymentMethod } from '@/lib/api-types'
import { isDerived } from '@/lib/deposit-key'
import type { SignedVersion } from '@/lib/treasury'
import { DoNotSend } from './do-not-send'

export type PlatformAddressProps = { method: SignedVersion & Pick<PaymentMethod, 'derivation'>; children: ReactNode }

/** Shows what is made of an own address of the member only if it follows from the key of its method [D-N2]. */
export function DerivedAddress({ method, children }: PlatformAddressProps) {
  const { currency, network, address, derivation } = method
  if (!derivation || !isDerived(network, derivation.key, derivation.index, address)) return <DoNotSend currency={currency} />
  return (
    <>
      {children}
      <p className="mt-3 text-sm text-ink-soft">
        {derivation.perDeposit
          ? `This address is new for each deposit. What arrives there is yours, whatever the amount.`
          : `This address is yours to keep: what arrives there in ${currency} on ${network} is yours, whatever the amount.`}
      </p>
    </>
  )
}
