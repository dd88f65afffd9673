import { CircleCheck } from 'lucide-react'
import { CopyButton } from '@/components/copy-button'
import { cx } from '@/components/cx'
import { useSignature, type Signature } from '@/components/use-signature'
import type { Solvency } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'

type Held = NonNullable<Solvency['held']>['addresses'][number]

const SIGNATURES: Record<Signature, string> = {
  checking: 'Checking the signature of the treasury key',
  signed: 'Signed by the treasury key, verified in your browser',
  unsigned: 'Not signed by the treasury key',
  wrong: 'The signature is not one of the treasury key',
  unverified: 'Signed by the treasury key; this page has no key to verify it with',
}

/** The operator proves an address again every year. */
const YEAR_MS = 366 * 24 * 60 * 60_000

/** An address that receives deposits, and what proves when it was counted that it is the operator's [D-T5]. */
export function HeldAddress({ one, countedAt }: { one: Held; countedAt: string }) {
  const signature = useSignature({ ...one, signature: one.signature ?? '' })
  return (
    <li className="space-y-1 py-3">
      <p className="text-ink-faint">
        {one.currency} on {one.network}
      </p>
      <p className="flex items-start justify-between gap-2">
        <code className="min-w-0 text-xs break-all">{one.address}</code>
        <CopyButton text={one.address} success="Address copied to clipboard!" failure="Failed to copy the address" />
      </p>
      {one.proof ? <Proof proof={one.proof} countedAt={countedAt} /> : <p>The operator has not proved yet that it controls this address.</p>}
      <p className={cx('text-xs', signature === 'wrong' ? 'text-negative' : 'text-ink-faint')}>{SIGNATURES[signature]}</p>
    </li>
  )
}

function Proof({ proof: { message, signature, day }, countedAt }: { proof: NonNullable<Held['proof']>; countedAt: string }) {
  // Noon in UTC is the same day nearly everywhere.
  const at = Date.parse(`${day}T12:00:00Z`)
  return (
    <>
      <p className="flex items-start gap-2">
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-positive" />
        <span>
          The operator proved on {formatDay(at)} that it controls this address.
          {Date.parse(countedAt) - at > YEAR_MS && ' That was more than a year ago.'}
        </span>
      </p>
      <details>
        <summary className="inline-flex min-h-10 cursor-pointer items-center font-semibold text-accent-text">Verify it yourself</summary>
        <p className="text-ink-soft">
          The private key of the address signed this message. Any wallet or tool that verifies signed messages can check it: BIP-322 on
          Bitcoin, EIP-191 on networks like Ethereum, TIP-191 on Tron.
        </p>
        <dl className="mt-2 space-y-2">
          <Signed label="Message" text={message} />
          <Signed label="Signature" text={signature} />
        </dl>
      </details>
    </>
  )
}

function Signed({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <dt className="text-ink-faint">{label}</dt>
      <dd className="flex items-start justify-between gap-2">
        <code className="min-w-0 text-xs break-all">{text}</code>
        <CopyButton text={text} success={`${label} copied to clipboard!`} failure={`Failed to copy the ${label.toLowerCase()}`} />
      </dd>
    </div>
  )
}
