import { cx } from '@/components/cx'
import { formatExact } from '@/lib/dates'

/** Says of when a list is, if the API read it from a server that is behind. */
export function AsOf({ at, className }: { at?: string | null | undefined; className?: string }) {
  if (!at) return null
  return (
    <p role="status" className={cx('text-sm text-caution', className)}>
      As of <time dateTime={at}>{formatExact(at)}</time>; later changes are not shown yet.
    </p>
  )
}
