import { Clock } from 'lucide-react'
import { cx } from '@/components/cx'
import { formatTime } from '@/lib/dates'

type TimeNoteProps = {
  text: string
  time: Date
  className?: string
  /** What the time depends on. */
  children: string
}

/** Until when staff usually handle a request, and when that takes longer [D-M6]. */
export function TimeNote({ text, time, className, children }: TimeNoteProps) {
  return (
    <div className={cx('flex gap-2 text-sm text-ink-soft', className)}>
      <Clock aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-faint" />
      <div>
        <p>
          {text} <strong className="tabular font-semibold text-ink">{formatTime(time)}</strong>
        </p>
        <p className="mt-0.5 text-ink-faint">{children}</p>
      </div>
    </div>
  )
}
