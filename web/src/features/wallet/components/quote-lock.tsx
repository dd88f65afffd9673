import { Lock } from 'lucide-react'
import { Button } from '@/components/button'
import { formatTime } from '@/lib/dates'
import { formatRate } from '@/lib/units'
import type { HeldQuote } from '../api/quotes'

type QuoteLockProps = {
  quote: HeldQuote
  /** Seconds until it expires. */
  left: number
  /** What holds until the quote expires. */
  children: string
  /** What holds once it has. */
  afterwards: string
}

/** The rate of a quote with its sources, how long it is locked, and the way to a new one [D-Q1]. */
export function QuoteLock({ quote, left, children, afterwards }: QuoteLockProps) {
  const isOpen = left > 0
  return (
    <div className="space-y-2 text-sm text-ink-soft">
      <QuoteRate quote={quote} />
      {isOpen && (
        <p className="flex items-center gap-2">
          <Lock aria-hidden className="size-4 shrink-0 text-ink-faint" />
          <span>
            Rate locked for <strong role="timer" className="tabular font-semibold text-ink">{clock(left)}</strong>. {children}
          </span>
        </p>
      )}
      <div role="status">
        {!isOpen && (
          <>
            <p className="mb-2">This rate has expired. {afterwards}</p>
            <Button size="sm" variant="secondary" onClick={quote.renew} busy={quote.isRenewing}>
              Get a new rate
            </Button>
          </>
        )}
      </div>
    </div>
  )
}

/** The rate of a quote with its sources. */
export const QuoteRate = ({ quote }: { quote: HeldQuote }) => (
  <p className="wrap-anywhere">
    Rate: 1 {quote.asset} = <span className="tabular">{quote.rate && formatRate(quote.rate)}</span>
    {quote.spreadBps > 0 && ` (spread ${quote.spreadBps / 100}%)`}, {sourcesInWords(quote)}, {formatTime(quote.at)}
  </p>
)

/** `14:59` */
const clock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

/** The exchanges begin with a capital; what staff named as source stays as it is. */
const sourcesInWords = ({ sources }: HeldQuote) =>
  sources.map(({ name }) => name.charAt(0).toUpperCase() + name.slice(1)).join(', ')
