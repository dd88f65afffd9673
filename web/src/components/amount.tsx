import { formatMoney } from '@/lib/money'
import { cx } from './cx'

/** A dollar amount in tabular figures. */
export function Amount({ value, className }: { value: number; className?: string }) {
  return <span translate="no" className={cx('tabular', value < 0 && 'signed', className)}>{formatMoney(value)}</span>
}

type SignedProps = { value: number; type: string; status?: string; className?: string }

/**
 * "+" for a credit and "-" otherwise, said in words to screen readers; a failed one is struck through [D-L4]. Green is
 * money that has arrived: a pending credit is not.
 */
export function SignedAmount({ value, type, status, className }: SignedProps) {
  const credit = type === 'credit'
  const failed = status === 'failed'
  const tone = failed ? 'text-ink-faint' : credit && status !== 'pending' ? 'text-positive' : 'text-ink'
  const text = `${credit ? '+' : '-'}${formatMoney(value)}`
  return (
    <span className={cx('tabular whitespace-nowrap', tone, className)}>
      <span className="sr-only">{`${failed ? 'not posted, ' : ''}${credit ? 'plus' : 'minus'} ${formatMoney(value)}`}</span>
      <span aria-hidden translate="no">
        {failed ? <s className="signed">{text}</s> : <span className="signed">{text}</span>}
      </span>
    </span>
  )
}
