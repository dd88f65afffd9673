import { cx } from '@/components/cx'
import type { Proposal } from '@/features/admin/api/types'
import { changesOf } from '@/features/admin/proposals'

/** What changes from what; addresses in full. */
export function ChangeList({ proposal }: { proposal: Pick<Proposal, 'kind' | 'change' | 'before'> }) {
  const changes = changesOf(proposal)
  if (changes.length === 0) return <p className="mt-3 text-sm text-ink-faint">No differences from the current values.</p>
  return (
    <dl className="mt-3 divide-y divide-line rounded-md border border-line text-sm">
      {changes.map(({ label, before, after, isExact }) => (
        <div key={label} className="grid grid-cols-1 gap-x-4 px-3 py-2 sm:grid-cols-[9rem_minmax(0,1fr)]">
          <dt className="text-ink-faint">{label}</dt>
          <dd className={cx('min-w-0 break-words', isExact && 'font-mono break-all')}>
            {before && (
              <>
                <span className="sr-only">from </span>
                <s className="text-ink-faint">{before}</s>
                <span className="sr-only"> to</span>{' '}
              </>
            )}
            <span className="font-medium text-ink">{after}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}
