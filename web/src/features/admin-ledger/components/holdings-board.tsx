import { Landmark } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Amount } from '@/components/amount'
import { Badge, type Tone } from '@/components/badge'
import { Card } from '@/components/card'
import { EmptyState } from '@/components/states'
import type { Holding, Holdings } from '@/features/admin/api/types'
import { Loaded } from '@/features/admin/components/loaded'
import { ShownCsvButton } from '@/features/admin/components/shown-csv-button'
import { formatMoment } from '@/lib/dates'
import { adminPaths } from '@/features/admin/paths'
import { formatAsset, formatRate, formatUnits } from '@/lib/units'
import { useHoldings } from '../api/get-holdings'

/** What is held by asset and address, and what the books do not account for [D-Q8]. */
export function HoldingsBoard() {
  const query = useHoldings()
  return (
    <Loaded query={query} label="Reading the holdings" count={3} skeleton="h-32">
      {({ holdings, outflows, undone }) => (
        <div className="space-y-5">
          {outflows.length > 0 && <Outflows outflows={outflows} />}
          {undone.length > 0 && <Undone undone={undone} />}
          <Assets holdings={holdings} />
          {holdings.some(({ addresses }) => addresses.length > 0) && <Addresses holdings={holdings} />}
        </div>
      )}
    </Loaded>
  )
}

const STATES: Record<string, { tone: Tone; label: string }> = {
  // Units alone: whether all is well is the verdict above.
  ok: { tone: 'neutral', label: 'As in the books' },
  warn: { tone: 'caution', label: 'More than the books' },
  fail: { tone: 'negative', label: 'Less than the books' },
}
const UNKNOWN = { tone: 'neutral', label: 'Unknown' } as const

/** A dash stands for what is not known; it is never shown as zero. */
function units(value: string | null | undefined, { asset, decimals }: Holding, sign = false): string {
  if (value == null) return '–'
  const digits = formatUnits(value.replace('-', ''), decimals)
  const prefix = value.startsWith('-') ? '−' : sign && digits !== '0' ? '+' : ''
  return `${prefix}${digits} ${asset}`
}

function Assets({ holdings }: { holdings: Holding[] }) {
  if (holdings.length === 0) {
    return (
      <Card>
        <EmptyState icon={Landmark} title="No assets" description="Assets of active platform methods appear here." />
      </Card>
    )
  }
  return (
    <Section title="Assets" action={<ShownCsvButton size="sm" columns={assetColumns} rows={holdings} name="solvane-assets" aria-label="Assets as CSV" />}>
      {holdings.map((one) => (
        <Asset key={`${one.chain} ${one.asset}`} one={one} />
      ))}
    </Section>
  )
}

/** Of the files, by the names of the contract. */
const assetColumns = {
  chain: (one: Holding) => one.chain,
  asset: (one: Holding) => one.asset,
  decimals: (one: Holding) => one.decimals,
  units: (one: Holding) => one.units,
  books: (one: Holding) => one.books,
  difference: (one: Holding) => one.difference,
  state: (one: Holding) => one.state,
  rate: (one: Holding) => one.rate,
  value: (one: Holding) => one.value,
  at: (one: Holding) => one.at,
}

type Held = { of: Holding; one: Holding['addresses'][number] }

const addressColumns = {
  chain: ({ of }: Held) => of.chain,
  asset: ({ of }: Held) => of.asset,
  address: ({ one }: Held) => one.address,
  units: ({ one }: Held) => one.units,
  decimals: ({ of }: Held) => of.decimals,
  at: ({ one }: Held) => one.at,
}

type Outflow = Holdings['outflows'][number]

const outflowColumns = {
  chain: (one: Outflow) => one.chain,
  txid: (one: Outflow) => one.txid,
  index: (one: Outflow) => one.index,
  asset: (one: Outflow) => one.asset,
  units: (one: Outflow) => one.units,
  decimals: (one: Outflow) => one.decimals,
  state: (one: Outflow) => one.state,
  seenAt: (one: Outflow) => one.seenAt,
  address: (one: Outflow) => one.address,
  counterparty: (one: Outflow) => one.counterparty,
}

function Section({ title, action, children }: { title: string; action: ReactNode; children: ReactNode }) {
  return (
    <Card className="overflow-hidden">
      <div className="flex flex-wrap items-center justify-between gap-3 px-4 pt-3 pb-1">
        <h2 className="text-base font-semibold">{title}</h2>
        {action}
      </div>
      <ul className="divide-y divide-line text-sm">{children}</ul>
    </Card>
  )
}

function Asset({ one }: { one: Holding }) {
  const { tone, label } = STATES[one.state] ?? UNKNOWN
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 className="font-medium">
          {one.asset} <span className="font-normal text-ink-faint">on <span className="capitalize">{one.chain}</span></span>
        </h3>
        <Badge tone={tone}>{label}</Badge>
      </div>
      <dl className="mt-2 grid gap-x-6 gap-y-1 sm:grid-cols-3">
        <Fact label="Held">{units(one.units, one)}</Fact>
        <Fact label="Books">{units(one.books, one)}</Fact>
        <Fact label="Difference">{units(one.difference, one, true)}</Fact>
      </dl>
      <p className="mt-1.5 text-xs text-ink-faint">
        {one.value !== undefined && one.rate && (
          <>
            Worth <Amount value={one.value} /> at {formatRate(one.rate)}
            {one.rateAt && `, ${formatMoment(one.rateAt)}`}.{' '}
          </>
        )}
        {one.at ? `Read ${formatMoment(one.at)}` : 'Never read'}
      </p>
    </li>
  )
}

function Fact({ label, children }: { label: string; children: string }) {
  return (
    <div className="flex justify-between gap-4 sm:block">
      <dt className="text-ink-faint">{label}</dt>
      <dd className="tabular text-end font-medium break-all sm:text-start">{children}</dd>
    </div>
  )
}

function Addresses({ holdings }: { holdings: Holding[] }) {
  const rows = holdings.flatMap((of) => of.addresses.map((one) => ({ of, one })))
  return (
    <Section title="Largest addresses" action={<ShownCsvButton size="sm" columns={addressColumns} rows={rows} name="solvane-addresses" aria-label="Addresses as CSV" />}>
      {rows.map(({ of, one: { address, units: held, at } }) => (
        <li key={`${of.chain} ${of.asset} ${address}`} className="px-4 py-3">
          <p className="font-mono text-[0.8125rem] break-all">{address}</p>
          <p className="flex flex-wrap justify-between gap-x-4 text-ink-faint">
            <span className="tabular font-medium text-ink">{units(held, of)}</span>
            {at && `Read ${formatMoment(at)}`}
          </p>
        </li>
      ))}
    </Section>
  )
}

function Finding({ title, text, action, children }: { title: string; text: string; action?: ReactNode; children: ReactNode }) {
  return (
    <Card className="overflow-hidden">
      <div className="flex flex-wrap items-start justify-between gap-3 bg-negative-soft px-4 py-3 text-negative">
        <div className="min-w-0">
          <h2 className="text-base font-semibold">{title}</h2>
          <p className="text-sm">{text}</p>
        </div>
        {action}
      </div>
      <ul className="divide-y divide-line text-sm">{children}</ul>
    </Card>
  )
}

function Outflows({ outflows }: { outflows: Holdings['outflows'] }) {
  return (
    <Finding
      title="Payments without a withdrawal"
      text="These left the platform, and no withdrawal accounts for them."
      action={<ShownCsvButton size="sm" columns={outflowColumns} rows={outflows} name="solvane-outflows" aria-label="Payments without a withdrawal as CSV" />}
    >
      {outflows.map((one) => (
        <li key={`${one.chain} ${one.txid} ${one.index}`} className="px-4 py-3">
          <p className="tabular text-base font-semibold">{formatAsset(one)}</p>
          <p className="text-ink-soft">
            <span className="capitalize">{one.chain}</span>
            {one.seenAt && `, seen ${formatMoment(one.seenAt)}`}
          </p>
          <p className="font-mono text-[0.8125rem] break-all text-ink-soft">
            {one.txid}, output {one.index}
          </p>
          <p className="text-ink-faint">
            from <span className="font-mono text-[0.8125rem] break-all">{one.address}</span> to{' '}
            <span className="font-mono text-[0.8125rem] break-all">{one.counterparty || 'an unknown address'}</span>
          </p>
        </li>
      ))}
    </Finding>
  )
}

function Undone({ undone }: { undone: Holdings['undone'] }) {
  return (
    <Finding title="Approved, but no longer paid" text="The chain does not count these payments any more. Nothing was debited: look into each, and propose a reversal where it is due.">
      {undone.map(({ transaction, payment, changedAt }) => (
        <li key={transaction.id}>
          <Link to={adminPaths.review(transaction.id)} className="grid min-h-10 grid-cols-[minmax(0,1fr)_auto] items-center gap-4 px-4 py-3 hover:bg-sunken/60 pointer-coarse:min-h-11">
            <span className="min-w-0">
              <span className="block truncate font-medium text-ink">
                {transaction.user.name}, {transaction.reference}
              </span>
              <span className="block text-ink-faint">
                {formatAsset(payment)} on <span className="capitalize">{payment.chain}</span>: {payment.state}
                {changedAt && ` since ${formatMoment(changedAt)}`}
              </span>
            </span>
            <Amount value={transaction.amount} className="font-semibold" />
          </Link>
        </li>
      ))}
    </Finding>
  )
}
