import { Suspense, lazy, type ComponentType } from 'react'
import { CopyButton } from '@/components/copy-button'
import { PlatformAddress } from '@/components/platform-address'
import { Skeleton } from '@/components/skeleton'
import type { PaymentMethod } from '@/lib/api-types'
import { paymentUri } from '@/lib/payment-uri'
import { formatAsset, formatUnits } from '@/lib/units'
import type { HeldQuote } from '../api/quotes'
import { useSecondsLeft } from '../use-seconds-left'
import { QuoteLock } from './quote-lock'
import { TimeNote } from './time-note'

/** Where its code does not come, the address is there to copy. */
const QrCode = lazy<ComponentType<{ text: string; label: string }>>(() =>
  import('@/components/qr-code').then((module) => ({ default: module.QrCode }), () => ({ default: () => null })),
)

const copyTexts = { success: 'Address copied to clipboard!', failure: 'Failed to copy address' }
const copyAmountTexts = { success: 'Amount copied to clipboard!', failure: 'Failed to copy amount' }

type PayToProps = {
  method: PaymentMethod
  confirmedBy: Date | null
  /** Of the version of the method that is shown. */
  quote?: HeldQuote
}

/**
 * How much to send, if that is quoted [D-Q1]; where to; and until when it will be looked at [DEP-03]. Nothing that the treasury
 * key did not sign.
 */
export function PayTo(props: PayToProps) {
  // A quote may have an address of its own.
  const { derivation, address } = props.quote ?? props.method
  const method = derivation ? { ...props.method, derivation, address: address ?? '' } : props.method
  return (
    <PlatformAddress method={method}>
      <Payment {...props} method={method} />
    </PlatformAddress>
  )
}

function Payment({ method, confirmedBy, quote }: PayToProps) {
  const { currency, network, address, memo } = method
  const left = useSecondsLeft(quote?.until ?? 0)
  const open = left > 0 ? quote : undefined
  const uri = open ? paymentUri({ ...open, address }) : address
  return (
    <div className="rounded-lg border border-line bg-sunken/50 p-4 sm:p-5">
      <div className="flex flex-col gap-5 sm:flex-row">
        <Suspense fallback={<Skeleton className="size-36" />}>
          <QrCode text={uri} label={uri === address ? `QR code of the ${currency} address` : `QR code of the ${currency} payment`} />
        </Suspense>
        <div className="min-w-0 flex-1">
          {open && (
            <>
              <p className="text-sm text-ink-faint">Send exactly</p>
              <p translate="no" className="tabular mt-1 mb-3 text-xl font-semibold break-all">{formatAsset(open)}</p>
              <div className="mb-4">
                <CopyButton text={formatUnits(open.units, open.decimals)} {...copyAmountTexts} label="Copy amount" />
              </div>
            </>
          )}
          <p className="text-sm text-ink-faint">
            {open ? `on ${network} to` : `Send ${currency} on ${network} to`}
          </p>
          <p translate="no" className="mt-1 mb-3 font-mono text-sm break-all">{address}</p>
          <CopyButton text={address} {...copyTexts} label="Copy address" />
          {memo && (
            <p className="mt-3 text-sm">
              Memo (required): <span className="font-mono break-all">{memo}</span>
            </p>
          )}
        </div>
      </div>
      {quote && (
        <div className="mt-4 border-t border-line pt-4">
          <QuoteLock
            quote={quote}
            left={left}
            afterwards="If you have sent the payment already, submit its proof: we value it when it arrives."
          >
            {method.derivation ? 'It applies to a payment of about this amount.' : 'Send exactly this amount, so that we can tell your payment from others.'}
          </QuoteLock>
        </div>
      )}
      {confirmedBy && (
        <TimeNote text="Transaction will be confirmed by" time={confirmedBy} className="mt-4 border-t border-line pt-4">
          This is the usual time. It takes longer until the network has confirmed your payment, or when we have to look closer.
        </TimeNote>
      )}
    </div>
  )
}
