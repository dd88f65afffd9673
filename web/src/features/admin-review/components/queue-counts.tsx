import { Link, useSearchParams } from 'react-router'
import { cx } from '@/components/cx'
import { Skeletons } from '@/components/skeleton'
import type { Percentiles } from '@/lib/api-types'
import { formatSeconds, formatSpan } from '@/lib/durations'
import { useQueue } from '../api/list-waiting'
import { adminPaths } from '@/features/admin/paths'
import type { QueueCount } from '@/features/admin/api/types'
import { Age } from '@/features/admin/components/age'
import { kindName } from '@/features/admin/components/kind-badge'
import { withParam } from '@/features/admin/use-typed-param'
import { queueQuery } from '../views'

const tiles = 'grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line shadow-card sm:grid-cols-3 lg:grid-cols-6'

/** Counts and oldest ages, which also filter the list below. */
export function QueueCounts() {
  const { data } = useQueue()
  const [search] = useSearchParams()
  const chosen = search.get('kind')
  const listOf = (kind: string) => adminPaths.queueOf(withParam(queueQuery(search), 'kind', kind))
  if (!data) {
    return (
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
        <Skeletons count={6} className="h-24" label="Loading the counts" />
      </div>
    )
  }
  // The times of course payments are among those of deposits.
  const times: Partial<Record<QueueCount['kind'], Percentiles | null>> = data.times
  const decisions = data.queue.filter(({ kind }) => kind !== 'payout')
  const oldest = decisions.flatMap(({ oldestAt }) => oldestAt ?? []).sort()[0] ?? null
  const all = { kind: 'all' as const, count: decisions.reduce((sum, { count }) => sum + count, 0), oldestAt: oldest }
  return (
    <nav aria-label="Queue" className={tiles}>
      <Tile count={all} to={listOf('')} current={!chosen} />
      {data.queue.map((count) => (
        <Tile
          key={count.kind}
          count={count}
          times={times[count.kind]}
          to={count.kind === 'payout' ? adminPaths.payouts : listOf(count.kind)}
          current={chosen === count.kind}
        />
      ))}
    </nav>
  )
}

type Count = Omit<QueueCount, 'kind'> & { kind: QueueCount['kind'] | 'all' }

type TileProps = { count: Count; times?: Percentiles | null; to: string; current: boolean }

function Tile({ count: { kind, count, oldestAt }, times, to, current }: TileProps) {
  return (
    <Link
      to={to}
      replace
      aria-current={current ? 'true' : undefined}
      className={cx('relative block bg-surface px-4 py-3 transition-colors hover:bg-sunken focus-visible:-outline-offset-2', current && 'bg-accent-soft hover:bg-accent-soft')}
    >
      <p className="text-sm font-medium text-ink-soft">{kind === 'all' ? 'Awaiting decision' : kindName(kind)}</p>
      <p className={cx('tabular text-2xl font-semibold', count ? 'text-ink' : 'text-ink-faint')}>{count}</p>
      <p className="text-xs text-ink-faint">{oldestAt ? <>oldest <Age since={oldestAt} /></> : 'none waiting'}</p>
      {times && (
        <p className="tabular mt-0.5 text-xs text-ink-faint" title="Time to decision in the last 24 hours">
          {`median ${formatSeconds(times.median)} · 90% within ${formatSpan(times.p90)}`}
        </p>
      )}
    </Link>
  )
}
