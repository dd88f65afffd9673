import { Clock } from 'lucide-react'
import { Suspense, lazy, type ComponentType } from 'react'
import { CopyButton } from '@/components/copy-button'
import { PlatformAddress } from '@/components/platform-address'
import { Skeleton } from '@/components/skeleton'
import type { PaymentMethod } from '@/lib/api-types'
import { formatTime } from '@/lib/dates'

/** Where its code does not come, the address is there to copy. */
const QrCode = lazy<ComponentType<{ text: string; label: string }>>(() =>
  import('@/components/qr-code').then((module) => ({ default: module.QrCode }), () => ({ default: () => null })),
)

const copyTexts = { success: 'Address copied to clipboard!', failure: 'Failed to copy address' }

type PayToProps = { method: PaymentMethod; confirmedBy: Date | null }

/** Where to send the payment, and until when it will be looked at [DEP-03]; nothing that the treasury key did not sign. */
export function PayTo(props: PayToProps) {
  return (
    <PlatformAddress method={props.method}>
      <Address {...props} />
    </PlatformAddress>
  )
}

function Address({ method, confirmedBy }: PayToProps) {
  const { currency, network, address, memo } = method
  return (
    <div className="rounded-lg border border-line bg-sunken/50 p-4 sm:p-5">
      <div className="flex flex-col gap-5 sm:flex-row">
        <Suspense fallback={<Skeleton className="size-36" />}>
          <QrCode text={address} label={`QR code of the ${currency} address`} />
        </Suspense>
        <div className="min-w-0 flex-1">
          <p className="text-sm text-ink-faint">
            Send {currency} on {network} to
          </p>
          <p className="mt-1 mb-3 font-mono text-sm break-all">{address}</p>
          <CopyButton text={address} {...copyTexts} label="Copy address" />
          {memo && (
            <p className="mt-3 text-sm">
              Memo (required): <span className="font-mono break-all">{memo}</span>
            </p>
          )}
        </div>
      </div>
      {confirmedBy && (
        <p className="mt-4 flex items-center gap-2 border-t border-line pt-4 text-sm text-ink-soft">
          <Clock aria-hidden className="size-4 shrink-0 text-ink-faint" />
          <span>
            Transaction will be confirmed by <strong className="tabular font-semibold text-ink">{formatTime(confirmedBy)}</strong>
          </span>
        </p>
      )}
    </div>
  )
}
