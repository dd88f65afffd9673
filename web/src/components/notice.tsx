import { Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx'

const tones = {
  info: { box: 'bg-accent-soft', icon: 'text-accent-text', Icon: Info },
  caution: { box: 'bg-caution-soft', icon: 'text-caution', Icon: TriangleAlert },
}

/** A short note beside a form or list. */
export function Notice({ tone = 'info', title, children }: { tone?: keyof typeof tones; title?: string; children?: ReactNode }) {
  const { box, icon, Icon } = tones[tone]
  return (
    <div className={cx('flex gap-3 rounded-lg p-4 text-sm', box)}>
      <Icon aria-hidden className={cx('mt-0.5 size-4.5 shrink-0', icon)} />
      <div className="min-w-0 text-ink-soft">
        {title && <p className="font-semibold text-ink">{title}</p>}
        {children}
      </div>
    </div>
  )
}
