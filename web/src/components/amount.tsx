import { formatMoney } from '@/lib/money'
import { cx } from './cx'

/** A dollar amount in tabular figures. */
export function Amount({ value, className }: { value: number; className?: string }) {
  return <span className={cx('tabular', className)}>{formatMoney(value)}</span>
}

type SignedProps = { value: number; type: string; status?: string; className?: string }

/** "+" for a credit and "-" otherwise, said in words to screen readers; a failed one is struck through [D-L4]. */
export function SignedAmount({ value, type, status, className }: SignedProps) {
  const credit = type === 'credit'
  const failed = status === 'failed'
  const text = `${credit ? '+' : '-'}${formatMoney(value)}`
  return (
    <span className={cx('tabular whitespace-nowrap', failed ? 'text-ink-faint' : credit ? 'text-positive' : 'text-ink', className)}>
      <span className="sr-only">{`${failed ? 'not booked, ' : ''}${credit ? 'plus' : 'minus'} `}</span>
      {failed ? <s>{text}</s> : text}
    </span>
  )
}
