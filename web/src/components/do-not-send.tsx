import { ShieldAlert } from 'lucide-react'
import { brand } from '@/lib/brand'
import { SupportLink } from './support-link'

/** In the place of an address that could not be verified [D-M1] [D-N2]. */
export function DoNotSend({ currency }: { currency: string }) {
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-negative bg-negative-soft p-4 text-sm sm:p-5">
      <ShieldAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-negative" />
      <div className="min-w-0">
        <p className="text-base font-semibold text-negative">Do not send money to this address</p>
        <p className="mt-1 text-ink">
          {`We could not verify that this ${currency} address belongs to ${brand.name}, so we are not showing it. Money sent to a wrong address cannot be recovered.`}
        </p>
        <ol className="mt-3 list-decimal space-y-1 ps-5 text-ink-soft">
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
