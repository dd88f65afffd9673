import { ChevronLeft, ChevronRight, Keyboard, X } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { StatusBadge } from '@/components/badge'
import { IconButton } from '@/components/button'
import { Notice } from '@/components/notice'
import { PageTitle } from '@/components/page'
import { Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import { waitsFor } from '../api/list-waiting'
import { useReview } from '../api/review-transaction'
import { useToggleClaim, useVerdicts } from '../api/verdicts'
import { useRows } from '../use-rows'
import { queueQuery } from '../views'
import type { Evidence, Review as Facts, Verdict } from '@/features/admin/api/types'
import { adminPaths } from '@/features/admin/paths'
import { useShortcuts } from '@/features/admin/use-shortcuts'
import { withParam } from '@/features/admin/use-typed-param'
import { BackLink } from '@/features/admin/components/admin-page'
import { Age } from '@/features/admin/components/age'
import { ChainPayments } from './chain-payments'
import { Checklist } from './checklist'
import { ClaimBadge } from './claim-badge'
import { DecisionPanel } from './decision-panel'
import { KindBadge } from '@/features/admin/components/kind-badge'
import { LedgerEntries } from '@/features/admin/components/ledger-entries'
import { MemberHistory } from './member-history'
import { ReceiptViewer } from './receipt-viewer'
import { ReviewFacts } from './review-facts'
import { ShortcutHelp, useHelp } from '@/features/admin/components/shortcut-help'
import { Viewers } from './viewers'

/** What was decided here, in case the list has not heard of it yet. */
const decided = new Set<string>()

/** The neighbours of a transaction in the queue as the address filters it. */
function useNeighbours(id: string) {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const query = queueQuery(search)
  const { rows, isPending } = useRows()
  // The list as it was when this item was opened: a decision must not shift the place under the reviewer's hands.
  const [ids, setIds] = useState<readonly string[]>()
  if (!ids && rows && !isPending) setIds(rows.map(({ transaction }) => transaction.id))
  const list = ids ?? []
  const at = list.indexOf(id)
  const goTo = (to: string | undefined, fallback?: string) => {
    const target = to ? adminPaths.review(to, query) : fallback
    if (target) void navigate(target)
  }
  const queue = adminPaths.queueOf(query)
  return {
    queue,
    place: at < 0 ? undefined : { number: at + 1, of: list.length },
    next: at >= 0 && at < list.length - 1 ? () => goTo(list[at + 1]) : undefined,
    previous: at > 0 ? () => goTo(list[at - 1]) : undefined,
    /** After a decision: the next one, or what is left, or the empty queue. */
    goOn: () => {
      decided.add(id)
      const isOpen = (one: string) => !decided.has(one)
      goTo(list.slice(at + 1).find(isOpen) ?? list.find(isOpen), queue)
    },
    leave: () => void navigate(queue),
  }
}

/** The transaction, against the payment that the address names. */
function useChosenReview(id: string) {
  const [search, setSearch] = useSearchParams()
  const txid = search.get('txid')
  const query = useReview(id, txid ? { txid, vout: search.get('vout') } : undefined)
  const choose = (payment: Evidence['payments'][number] | null) =>
    setSearch((now) => withParam(withParam(now, 'txid', payment?.txid ?? ''), 'vout', payment ? String(payment.index) : ''), { replace: true })
  return { ...query, choose, isChosen: txid !== null }
}

type PaneProps = { id: string; onDone: () => void; onClose: () => void }

/** A transaction beside the queue; the list has the keys that move. */
export function ReviewPane({ id, onDone, onClose }: PaneProps) {
  const [search] = useSearchParams()
  const { data, isPending, isFetching, isPlaceholderData, error, refetch, choose, isChosen } = useChosenReview(id)
  const done = () => (decided.add(id), onDone())
  const one = data?.transaction
  return (
    <section aria-label={one?.reference ?? 'Review'} className="min-w-0 space-y-5">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <h2 className="tabular text-lg font-semibold">{one?.reference ?? 'Review'}</h2>
        {one && <KindBadge kind={waitsFor(one)} />}
        {one && <StatusBadge status={one.status} />}
        <Viewers id={id} />
        <span className="ms-auto flex items-center gap-3">
          <Link to={adminPaths.review(id, queueQuery(search))} className="text-sm font-medium text-accent-text hover:underline">
            Full page
          </Link>
          <IconButton label="Close" onClick={onClose}>
            <X aria-hidden className="size-5" />
          </IconButton>
        </span>
      </header>
      {isPending ? (
        <Skeletons count={2} className="h-72" label="Loading the transaction" />
      ) : data ? (
        <>
          {isChosen && data.transaction.status === 'pending' && <ChosenNotice onClear={() => choose(null)} />}
          <div className="grid grid-cols-1 items-start gap-5 2xl:grid-cols-2">
            <DecisionPanel review={data} onDone={done} onChoose={choose} isLooking={isPlaceholderData} />
            <Checklist checks={data.checks} />
          </div>
          {data.evidence && <ChainPayments evidence={data.evidence} />}
          <ReviewFacts review={data} />
          {data.transaction.receipt && <ReceiptViewer receipt={data.transaction.receipt} />}
        </>
      ) : (
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      )}
    </section>
  )
}

function ChosenNotice({ onClear }: { onClear: () => void }) {
  return (
    <Notice>
      <p>This is checked against the payment that you chose. Approve the transaction to attach the payment to it.</p>
      <button type="button" onClick={onClear} className="font-medium text-accent-text hover:underline">
        Choose another payment
      </button>
    </Notice>
  )
}

export function Review({ id }: { id: string }) {
  const { data, isPending, isFetching, isPlaceholderData, error, refetch, choose, isChosen } = useChosenReview(id)
  const neighbours = useNeighbours(id)
  const help = useHelp()
  const toggleClaim = useToggleClaim()
  const one = data?.transaction
  const verdict = useVerdicts().verdicts.get(id)
  const canClaim = toggleClaim && one?.status === 'pending'
  useShortcuts({
    j: neighbours.next,
    k: neighbours.previous,
    q: neighbours.leave,
    c: canClaim ? () => toggleClaim(one, verdict) : undefined,
    '?': help.open,
  })
  return (
    <>
      <Head facts={data} verdict={verdict} neighbours={neighbours} onHelp={help.open} id={id} />
      {isPending ? (
        <div className="grid grid-cols-1 gap-5 lg:grid-cols-[minmax(0,1fr)_24rem]">
          <Skeletons count={2} className="h-96" label="Loading the transaction" />
        </div>
      ) : data ? (
        <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1fr)_24rem] lg:grid-rows-[auto_1fr] xl:grid-cols-[minmax(0,1fr)_27rem]">
          <ReviewFacts review={data} />
          {/* The checklist scrolls by itself: the decision below it stays where it is, and neither pushes the other off the screen. */}
          <div className="min-w-0 max-lg:space-y-5 lg:sticky lg:top-19 lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:flex lg:max-h-[calc(100dvh-11rem)] lg:flex-col lg:gap-5">
            <div role="region" aria-label="Checks" tabIndex={0} className="min-w-0 space-y-5 rounded-xl lg:min-h-40 lg:overflow-y-auto">
              {isChosen && data.transaction.status === 'pending' && <ChosenNotice onClear={() => choose(null)} />}
              <Checklist checks={data.checks} />
              {data.evidence && <ChainPayments evidence={data.evidence} />}
            </div>
            <div className="min-w-0 max-lg:sticky max-lg:bottom-0 max-lg:z-10 max-lg:max-h-[85dvh] max-lg:overflow-y-auto lg:max-h-[calc((100dvh-11rem)*0.7)] lg:shrink-0 lg:overflow-y-auto">
              <DecisionPanel review={data} onDone={neighbours.goOn} onChoose={choose} isLooking={isPlaceholderData} />
            </div>
          </div>
          <div className="min-w-0 space-y-5">
            {data.transaction.receipt && <ReceiptViewer receipt={data.transaction.receipt} />}
            <LedgerEntries entries={data.entries} note="Entries of this transaction, on member and platform accounts" />
            <MemberHistory memberId={data.transaction.memberId} except={id} />
          </div>
        </div>
      ) : (
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      )}
      <ShortcutHelp {...help} />
    </>
  )
}

type HeadProps = { id: string; facts?: Facts; verdict?: Verdict; neighbours: ReturnType<typeof useNeighbours>; onHelp: () => void }

function Head({ id, facts, verdict, neighbours: { queue, place, next, previous }, onHelp }: HeadProps) {
  const one = facts?.transaction
  return (
    <header className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
      <div className="min-w-0 flex-1">
        <BackLink to={queue} label="Queue" />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <PageTitle title={one?.reference ?? 'Review'} className="tabular text-xl font-semibold" />
          {one && <KindBadge kind={waitsFor(one)} />}
          {one && <StatusBadge status={one.status} />}
          {one?.status === 'pending' && (
            <span className="text-sm text-ink-faint">
              waits <Age since={one.createdAt} />
            </span>
          )}
          <ClaimBadge verdict={verdict} />
          <Viewers id={id} />
        </div>
      </div>
      <div className="flex items-center">
        {place && (
          <span className="tabular me-2 text-sm text-ink-faint">
            {place.number} of {place.of}
          </span>
        )}
        <IconButton label="Previous item (k)" disabled={!previous} onClick={previous} className="disabled:opacity-40">
          <ChevronLeft aria-hidden className="size-5" />
        </IconButton>
        <IconButton label="Next item (j)" disabled={!next} onClick={next} className="disabled:opacity-40">
          <ChevronRight aria-hidden className="size-5" />
        </IconButton>
        <IconButton label="Keyboard (?)" onClick={onHelp} className="max-lg:hidden">
          <Keyboard aria-hidden className="size-5" />
        </IconButton>
      </div>
    </header>
  )
}
