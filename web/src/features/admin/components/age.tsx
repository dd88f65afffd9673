import { cx } from '@/components/cx'
import { formatDateTime } from '@/lib/dates'
import { formatSeconds, secondsSince } from '@/lib/durations'
import { useNow } from '../use-now'

const LATE_SECONDS = 4 * 3600
const OVERDUE_SECONDS = 24 * 3600

/** How long something waits; coloured when it waits too long. */
export function Age({ since, className }: { since: string; className?: string }) {
  const seconds = secondsSince(since, useNow())
  const tone = seconds > OVERDUE_SECONDS ? 'text-negative font-semibold' : seconds > LATE_SECONDS ? 'text-caution font-semibold' : 'text-ink-soft'
  return (
    <time dateTime={since} title={formatDateTime(since)} className={cx('tabular whitespace-nowrap', tone, className)}>
      {formatSeconds(seconds)}
    </time>
  )
}
