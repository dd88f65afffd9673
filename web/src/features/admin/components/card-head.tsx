import type { ReactNode } from 'react'

/** The heading of a list in a card, with what can be done with the list. */
export function CardHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 pt-4 pb-1">
      <h2 className="text-base font-semibold">{title}</h2>
      {children}
    </div>
  )
}
