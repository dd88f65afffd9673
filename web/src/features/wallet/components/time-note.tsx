import { Clock } from 'lucide-react'
import { cx } from '@/components/cx'
import { formatTime } from '@/lib/dates'

/** Until when staff usually handle a request. */
export function TimeNote({ text, time, className }: { text: string; time: Date; className?: string }) {
  return (
    <p className={cx('flex items-center gap-2 text-sm text-ink-soft', className)}>
      <Clock aria-hidden className="size-4 shrink-0 text-ink-faint" />
      <span>
        {text} <strong className="tabular font-semibold text-ink">{formatTime(time)}</strong>
      </span>
    </p>
  )
}
