import { HandCoins } from 'lucide-react'
import { Link, useNavigate } from 'react-router'
import { Amount } from '@/components/amount'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { formatTime } from '@/lib/dates'
import { useMember } from '@/lib/session'
import { useWaiting } from '../api/list-waiting'
import { useReview } from '../api/review-transaction'
import { useStaffName } from '@/features/admin/api/staff'
import type { WaitingTransaction } from '@/features/admin/api/types'
import { adminPaths } from '@/features/admin/paths'
import { useShortcuts } from '@/features/admin/use-shortcuts'
import { Age } from '@/features/admin/components/age'
import { CardHead } from '@/features/admin/components/card-head'
import { ShownCsvButton } from '@/features/admin/components/shown-csv-button'
import { ChainPayments } from './chain-payments'
import { DecisionPanel } from './decision-panel'
import { PayoutBatches } from './payout-batch'
import { Viewers } from './viewers'

const columns = {
  reference: (one: WaitingTransaction) => one.reference,
  member: (one: WaitingTransaction) => one.user.name,
  email: (one: WaitingTransaction) => one.user.email,
  toPayOut: (one: WaitingTransaction) => one.netAmount ?? one.amount,
  currency: (one: WaitingTransaction) => one.method?.currency,
  network: (one: WaitingTransaction) => one.method?.network,
  approvedAt: (one: WaitingTransaction) => one.decidedAt,
  sentAt: (one: WaitingTransaction) => one.sentAt,
}

/** Approved withdrawals, the longest waiting first, then those that are on their way, and the one that is being paid. */
export function Payouts({ selected }: { selected?: string }) {
  const { data, isPending, isFetching, error, refetch } = useWaiting()
  const rows = data?.filter(({ approved }) => approved).toSorted((one, other) => Number(Boolean(one.sentAt)) - Number(Boolean(other.sentAt)))
  if (isPending) {
    return (
      <div className="grid grid-cols-1 gap-5 lg:grid-cols-2">
        <Skeletons count={2} className="h-72" label="Loading the payouts" />
      </div>
    )
  }
  if (!rows) return <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
  if (rows.length === 0 && !selected) {
    return (
      <>
        <PayoutBatches rows={rows} />
        <Card>
          <EmptyState icon={HandCoins} title="No payouts waiting" description="Approved withdrawals appear here automatically." />
        </Card>
      </>
    )
  }
  const shown = selected ?? rows[0]?.id
  return (
    <>
      <PayoutBatches rows={rows} />
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1fr)_27rem]">
        <List rows={rows} shown={shown} />
        {shown && (
          <div id="payout" className="lg:sticky lg:top-19">
            <Details key={shown} id={shown} />
          </div>
        )}
      </div>
    </>
  )
}

function List({ rows, shown }: { rows: WaitingTransaction[]; shown?: string }) {
  const navigate = useNavigate()
  const me = useMember()
  const staffName = useStaffName()
  const at = rows.findIndex(({ id }) => id === shown)
  const go = (to: number) => {
    const row = rows[to]
    if (row) void navigate(adminPaths.payout(row.id), { replace: true })
  }
  useShortcuts({ j: () => go(at + 1), k: () => go(at - 1) })
  return (
    <Card className="overflow-hidden">
      {rows.length > 0 && (
        <div className="border-b border-line pb-3">
          <CardHead title="Approved withdrawals">
            <ShownCsvButton size="sm" columns={columns} rows={rows} name="solvane-payouts" aria-label="Payouts as CSV" />
          </CardHead>
        </div>
      )}
      {rows.length === 0 && <p className="px-4 py-6 text-sm text-ink-faint">No other payouts waiting.</p>}
      <ul className="divide-y divide-line">
        {rows.map(({ id, user, reference, method, amount, netAmount, decidedAt, createdAt, paying, sentAt }) => (
          <li key={id}>
            <Link
              to={adminPaths.payout(id)}
              replace
              aria-current={id === shown ? 'true' : undefined}
              className={cx(
                'grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 px-4 py-2.5 text-sm focus-visible:-outline-offset-2',
                id === shown ? 'bg-accent-soft' : 'hover:bg-sunken/60',
              )}
            >
              <span className="truncate font-medium text-ink">{user.name}</span>
              <Amount value={netAmount ?? amount} className="text-end text-base font-semibold" />
              <span className="tabular truncate text-ink-faint">
                {reference}
                {method && ` · ${method.currency} on ${method.network}`}
              </span>
              <span className="text-end">
                <Age since={decidedAt ?? createdAt} />
              </span>
              {sentAt && <span className="col-span-2 truncate text-ink-soft">Sent {formatTime(sentAt)}, awaiting the network</span>}
              {paying && !sentAt && (
                <span className="col-span-2 truncate font-medium text-accent-text first-letter:uppercase">
                  {staffName(paying.by, paying.byName)} {paying.by === me.id ? 'are' : 'is'} paying until {formatTime(paying.until ?? '')}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Details({ id }: { id: string }) {
  const navigate = useNavigate()
  const { data, isPending, isFetching, error, refetch } = useReview(id)
  if (isPending) return <Skeletons count={1} className="h-96" label="Loading the payout" />
  if (!data) return <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
  return (
    <section aria-label={`Payout ${data.transaction.reference}`} className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 className="tabular font-semibold">
          {data.transaction.reference}, {data.transaction.user.name}
        </h2>
        <Viewers id={id} />
        <Link to={adminPaths.review(id)} className="text-sm font-semibold text-accent-text hover:underline">
          All details
        </Link>
      </div>
      <DecisionPanel review={data} onDone={() => void navigate(adminPaths.payouts, { replace: true })} />
      {data.evidence && data.evidence.payments.length > 0 && <ChainPayments evidence={data.evidence} />}
    </section>
  )
}
