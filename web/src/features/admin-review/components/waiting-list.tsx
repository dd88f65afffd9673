import { CheckCheck } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { Amount } from '@/components/amount'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { LongList, LongListRow } from '@/components/long-list'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { useWaiting, waitsFor } from '../api/list-waiting'
import type { StaffTransaction } from '@/features/admin/api/types'
import { adminPaths } from '@/features/admin/paths'
import { useShortcuts } from '@/features/admin/use-shortcuts'
import { Age } from '@/features/admin/components/age'
import { KindBadge } from '@/features/admin/components/kind-badge'
import { ShortcutHelp, useHelp } from '@/features/admin/components/shortcut-help'

const ROW_HEIGHT = 60

/** Everything that a reviewer decides, the longest waiting first; j, k and Enter move through it. */
export function WaitingList() {
  const [search] = useSearchParams()
  const kind = search.get('kind') ?? undefined
  const { data, isPending, isFetching, error, refetch } = useWaiting()
  const rows = data?.filter((row) => (kind ? waitsFor(row) === kind : waitsFor(row) !== 'payout'))
  return (
    <Card className="overflow-hidden">
      {isPending ? (
        <div className="space-y-px">
          <Skeletons count={6} className="h-15 rounded-none" label="Loading the queue" />
        </div>
      ) : !rows ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      ) : rows.length === 0 ? (
        <EmptyState icon={CheckCheck} title="The queue is empty" description="New requests appear here automatically." />
      ) : (
        <Rows rows={rows} kind={kind} />
      )}
    </Card>
  )
}

function Rows({ rows, kind }: { rows: StaffTransaction[]; kind?: string }) {
  const navigate = useNavigate()
  const help = useHelp()
  const list = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState<string>()
  const at = rows.findIndex(({ id }) => id === chosen)
  const current = at < 0 ? 0 : at

  const go = (to: number) => setChosen(rows[Math.max(0, Math.min(rows.length - 1, to))]?.id)
  useShortcuts({
    j: () => go(at < 0 ? 0 : current + 1),
    k: () => go(current - 1),
    Enter: () => {
      const row = rows[current]
      if (row) void navigate(adminPaths.review(row.id, kind))
    },
    '?': help.open,
  })
  useEffect(() => {
    if (chosen) list.current?.querySelector<HTMLElement>('[data-current] a')?.focus()
  }, [chosen])

  return (
    <>
      <div ref={list}>
        <LongList count={rows.length} rowHeight={ROW_HEIGHT} keep={at} className="divide-y divide-line">
          {(from, to) =>
            rows.slice(from, to).map((row, index) => {
              const isCurrent = from + index === at
              return (
                <LongListRow key={row.id} index={from + index} count={rows.length} isCurrent={isCurrent} className={cx(isCurrent && 'bg-accent-soft')}>
                  <Row row={row} kind={kind} />
                </LongListRow>
              )
            })
          }
        </LongList>
      </div>
      <ShortcutHelp {...help} />
    </>
  )
}

function Row({ row, kind }: { row: StaffTransaction; kind?: string }) {
  const { id, reference, method, amount, user, createdAt, txid, needsDestination, needsConfirmation, firstApproval } = row
  return (
    <Link
      to={adminPaths.review(id, kind)}
      className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2.5 text-sm hover:bg-sunken/60 focus-visible:-outline-offset-2 md:grid-cols-[7rem_minmax(0,1.3fr)_minmax(0,1fr)_8rem_6rem]"
    >
      <span className="max-md:col-start-1">
        <KindBadge kind={waitsFor(row)} />
      </span>
      <span className="min-w-0 max-md:col-span-2 max-md:col-start-1 max-md:row-start-2">
        <span className="block truncate font-medium text-ink">{user.name}</span>
        <span className="block truncate text-xs text-ink-faint">{firstApproval ? 'Awaiting second review' : user.email}</span>
      </span>
      <span className="min-w-0 max-md:hidden">
        <span className="block truncate text-ink-soft">{method ? `${method.currency} on ${method.network}` : row.description}</span>
        <span className="tabular block truncate text-xs text-ink-faint">
          {reference}
          {txid && ' · hash given'}
          {needsDestination && ' · no address yet'}
          {needsConfirmation && ' · address not confirmed'}
        </span>
      </span>
      <Amount value={amount} className="text-right text-base font-semibold max-md:col-start-3 max-md:row-start-2" />
      <span className="text-right max-md:col-start-3 max-md:row-start-1">
        <Age since={createdAt} />
      </span>
    </Link>
  )
}
