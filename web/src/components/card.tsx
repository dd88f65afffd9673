import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx'

export function Card({ className, ...rest }: ComponentProps<'section'>) {
  return <section {...rest} className={cx('rounded-xl border border-line bg-surface shadow-card', className)} />
}

/** The heading row of a card, with room for one action. */
export function CardHeader({ title, description, action }: { title: string; description?: ReactNode; action?: ReactNode }) {
  return (
    <header className="flex items-start justify-between gap-4 px-5 pt-5 sm:px-6">
      <div>
        <h2 className="text-base font-semibold text-ink">{title}</h2>
        {description && <p className="mt-0.5 text-sm text-ink-faint">{description}</p>}
      </div>
      {action}
    </header>
  )
}
