import type { ReactNode } from 'react'

export type Detail = { label: string; value: ReactNode }

/** A list of labels and values. */
export function DetailList({ items }: { items: readonly Detail[] }) {
  return (
    <dl className="divide-y divide-line text-sm">
      {items.map(({ label, value }) => (
        <div key={label} className="flex items-baseline justify-between gap-6 py-3">
          <dt className="max-w-[calc(100%-8rem)] shrink-0 text-ink-faint">{label}</dt>
          <dd className="min-w-0 text-end font-medium wrap-anywhere text-ink">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
