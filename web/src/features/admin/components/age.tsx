import { cx } from '@/components/cx'
import { formatDateTime } from '@/lib/dates'
import { formatSeconds, secondsSince } from '@/lib/durations'
import { useNow } from '../use-now'

/** Within this a request is to be decided. */
export const TARGET_SECONDS = 4 * 3600
const OVERDUE_SECONDS = 24 * 3600

type AgeProps = { since: string; className?: string; withTarget?: boolean }

/** How long something waits; coloured when it waits too long. */
export function Age({ since, className, withTarget = false }: AgeProps) {
  const seconds = secondsSince(since, useNow())
  const tone = seconds > OVERDUE_SECONDS ? 'text-negative font-semibold' : seconds > TARGET_SECONDS ? 'text-caution font-semibold' : 'text-ink-soft'
  return (
    <>
      <time dateTime={since} title={formatDateTime(since)} className={cx('tabular whitespace-nowrap', tone, className)}>
        {formatSeconds(seconds)}
      </time>
      {withTarget && <span className="block text-xs text-ink-faint">{`of ${formatSeconds(TARGET_SECONDS)}`}</span>}
    </>
  )
}
