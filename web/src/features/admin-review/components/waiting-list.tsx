import { CheckCheck, FilterX } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { Amount } from '@/components/amount'
import { Badge, type Tone } from '@/components/badge'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { LongList, LongListRow } from '@/components/long-list'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { loadChunk } from '@/lib/load-chunk'
import { waitsFor } from '../api/list-waiting'
import { useToggleClaim } from '../api/verdicts'
import { useRows } from '../use-rows'
import { chainStateName, queueQuery, type Row as QueueRow } from '../views'
import type { Verdict } from '@/features/admin/api/types'
import { adminPaths } from '@/features/admin/paths'
import { SIDE_BY_SIDE, useMedia } from '@/features/admin/use-media'
import { useShortcuts } from '@/features/admin/use-shortcuts'
import { withParam } from '@/features/admin/use-typed-param'
import { Age } from '@/features/admin/components/age'
import { KindBadge } from '@/features/admin/components/kind-badge'
import { ShortcutHelp, useHelp } from '@/features/admin/components/shortcut-help'
import { ClaimBadge } from './claim-badge'
import { QueueFilters } from './queue-filters'

// The queue stands without it, and a phone never shows it beside the queue.
const importReview = () => import('./review')
const ReviewPane = lazy(async () => ({ default: (await loadChunk(importReview)).ReviewPane }))

/** Loads what staff open next, once the queue stands. */
function loadReviewWhenIdle() {
  const timer = setTimeout(() => void importReview().catch(() => undefined), 3_000)
  return () => clearTimeout(timer)
}

const ROW_HEIGHT = 60

/** Everything that a reviewer decides, the longest waiting first; j, k and Enter move through it. */
export function WaitingList() {
  const { rows, networks, isFiltered, isPending, isFetching, error, refetch } = useRows()
  return (
    <div className="space-y-3">
      <QueueFilters networks={networks} rows={rows ?? []} />
      {rows && rows.length > 0 ? (
        <Rows rows={rows} />
      ) : (
        <Card className="overflow-hidden">
          {isPending ? (
            <div className="space-y-px">
              <Skeletons count={6} className="h-15 rounded-none" label="Loading the queue" />
            </div>
          ) : !rows ? (
            <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
          ) : isFiltered ? (
            <EmptyState icon={FilterX} title="Nothing in this view" description="Choose All to see the whole queue." />
          ) : (
            <EmptyState icon={CheckCheck} title="The queue is empty" description="New requests appear here automatically." />
          )}
        </Card>
      )}
    </div>
  )
}

function Rows({ rows }: { rows: QueueRow[] }) {
  const navigate = useNavigate()
  const [search, setSearch] = useSearchParams()
  const isSideBySide = useMedia(SIDE_BY_SIDE)
  const help = useHelp()
  useEffect(loadReviewWhenIdle, [])
  const toggleClaim = useToggleClaim()
  const list = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState<string>()
  const open = isSideBySide ? search.get('open') : null
  const at = rows.findIndex(({ transaction }) => transaction.id === (open ?? chosen))
  const current = at < 0 ? 0 : at

  const show = (id: string | undefined) => {
    // Closed, the row keeps its place.
    setChosen(id ?? open ?? undefined)
    setSearch((now) => withParam(now, 'open', id ?? ''), { replace: true })
  }
  const go = (to: number) => {
    const id = rows[Math.max(0, Math.min(rows.length - 1, to))]?.transaction.id
    if (open) show(id)
    else setChosen(id)
  }
  useShortcuts({
    j: () => go(at < 0 ? 0 : current + 1),
    k: () => go(current - 1),
    Enter: () => {
      const id = rows[current]?.transaction.id
      if (!id) return
      if (isSideBySide) show(id)
      else void navigate(adminPaths.review(id, queueQuery(search)))
    },
    c: toggleClaim && (() => rows[current] && toggleClaim(rows[current].transaction, rows[current].verdict)),
    '?': help.open,
  })
  useEffect(() => {
    if (chosen) list.current?.querySelector<HTMLElement>('[data-current] a')?.focus()
  }, [chosen])
  const opened = (id: string) => (isSideBySide ? adminPaths.queueOf(withParam(search, 'open', id)) : adminPaths.review(id, queueQuery(search)))
  const next = rows.find(({ transaction }, index) => index > rows.findIndex((row) => row.transaction.id === open) && transaction.id !== open)

  return (
    <div className={cx(open && 'grid grid-cols-[minmax(0,30rem)_minmax(0,1fr)] items-start gap-5')}>
      <Card className={cx('@container overflow-hidden', open && 'sticky top-19 max-h-[calc(100dvh-6rem)] overflow-y-auto')}>
        <div ref={list}>
          <LongList count={rows.length} rowHeight={ROW_HEIGHT} keep={at} className="divide-y divide-line">
            {(from, to) =>
              rows.slice(from, to).map((row, index) => {
                const { id } = row.transaction
                const isCurrent = from + index === at
                return (
                  <LongListRow key={id} index={from + index} count={rows.length} isCurrent={isCurrent} className={cx((isCurrent || id === open) && 'bg-accent-soft')}>
                    <Row row={row} to={opened(id)} isOpen={id === open} />
                  </LongListRow>
                )
              })
            }
          </LongList>
        </div>
      </Card>
      {open && (
        <Suspense fallback={<Skeletons count={2} className="h-72" label="Loading the transaction" />}>
          <ReviewPane key={open} id={open} onDone={() => show(next?.transaction.id)} onClose={() => show(undefined)} />
        </Suspense>
      )}
      <ShortcutHelp {...help} />
    </div>
  )
}

function Row({ row: { transaction, verdict }, to, isOpen }: { row: QueueRow; to: string; isOpen: boolean }) {
  const { reference, method, amount, user, createdAt, hasTxid, needsDestination, needsConfirmation, firstApproval } = transaction
  return (
    <Link
      to={to}
      aria-current={isOpen ? 'true' : undefined}
      className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2.5 text-sm hover:bg-sunken/60 focus-visible:-outline-offset-2 @3xl:grid-cols-[6.5rem_minmax(0,1.1fr)_minmax(0,0.9fr)_minmax(0,1.2fr)_7rem_6.5rem]"
    >
      <span className="@max-3xl:col-start-1">
        <KindBadge kind={waitsFor(transaction)} />
      </span>
      <span className="min-w-0 @max-3xl:col-span-2 @max-3xl:col-start-1 @max-3xl:row-start-2">
        <span className="block truncate font-medium text-ink">{user.name}</span>
        <span className="block truncate text-xs text-ink-faint">{firstApproval ? 'Awaiting second review' : user.email}</span>
      </span>
      <span className="min-w-0 @max-3xl:hidden">
        <span className="block truncate text-ink-soft">{method ? `${method.currency} on ${method.network}` : transaction.description}</span>
        <span className="tabular block truncate text-xs text-ink-faint">
          {reference}
          {hasTxid && ' · hash given'}
          {needsDestination && ' · no address yet'}
          {needsConfirmation && ' · address not confirmed'}
        </span>
      </span>
      <span className="flex min-w-0 flex-wrap items-center gap-1.5 @max-3xl:col-span-3 @max-3xl:row-start-3">
        {verdict && <Findings verdict={verdict} isPayment={transaction.kind !== 'withdrawal'} />}
      </span>
      <Amount value={amount} className="text-end text-base font-semibold @max-3xl:col-start-3 @max-3xl:row-start-2" />
      <span className="text-end @max-3xl:col-start-3 @max-3xl:row-start-1">
        <Age since={createdAt} withTarget />
      </span>
    </Link>
  )
}

const tones: Record<string, Tone> = { final: 'positive', included: 'accent', seen: 'accent', orphaned: 'negative', replaced: 'negative', failed: 'negative' }

/** What the server knows about a row before it is opened. */
function Findings({ verdict, isPayment }: { verdict: Verdict; isPayment: boolean }) {
  const { concerns, chainState, blockers } = verdict
  const [blocker] = blockers
  return (
    <>
      {isPayment && <Badge tone={tones[chainState] ?? 'neutral'}>{chainStateName(chainState)}</Badge>}
      {concerns > 0 && <Badge tone="caution">{concerns === 1 ? '1 check' : `${concerns} checks`}</Badge>}
      {concerns === 0 && <Badge tone="positive">Checks pass</Badge>}
      {blocker && (
        <span title={blockers.map(({ message }) => message).join('\n')}>
          <Badge tone="negative">Blocked<span className="sr-only">{`: ${blocker.message}`}</span></Badge>
        </span>
      )}
      <ClaimBadge verdict={verdict} />
    </>
  )
}
