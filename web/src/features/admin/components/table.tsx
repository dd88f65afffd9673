import type { ReactNode } from 'react'
import { cx } from '@/components/cx'

type Column = { name: string; right?: boolean }

/** A dense table that scrolls sideways by itself where the screen is narrow. */
export function Table({ label, columns, children }: { label: string; columns: readonly (string | Column)[]; children: ReactNode }) {
  return (
    <div className="relative overflow-x-auto focus-visible:-outline-offset-2" role="region" aria-label={label} tabIndex={0}>
      <table className="w-full text-sm">
        <thead>
          <tr className="border-b border-line text-xs text-ink-faint">
            {columns.map((column) => {
              const { name, right }: Column = typeof column === 'string' ? { name: column } : column
              // A heading without a word is not shown.
              if (!name) return <td key="" />
              return (
                <th key={name} scope="col" className={cx('px-3 py-2 font-medium whitespace-nowrap first:ps-4 last:pe-4', right ? 'text-end' : 'text-start')}>
                  {name}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </div>
  )
}

export function Cell({ right, className, children }: { right?: boolean; className?: string; children?: ReactNode }) {
  return <td className={cx('px-3 py-2 align-top first:ps-4 last:pe-4', right && 'text-end', className)}>{children}</td>
}
