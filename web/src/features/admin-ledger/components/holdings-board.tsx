import { Landmark } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Amount } from '@/components/amount'
import { Badge, type Tone } from '@/components/badge'
import { Card } from '@/components/card'
import { EmptyState } from '@/components/states'
import type { Holding, Holdings } from '@/features/admin/api/types'
import { Loaded } from '@/features/admin/components/loaded'
import { Cell, Table } from '@/features/admin/components/table'
import { formatMoment } from '@/features/admin/moments'
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
  ok: { tone: 'positive', label: 'Matches the books' },
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
    <Card className="overflow-hidden">
      <h2 className="px-4 pt-4 pb-1 text-base font-semibold">Assets</h2>
      <Table label="Assets" columns={['Asset', { name: 'Held', right: true }, { name: 'Books', right: true }, { name: 'Difference', right: true }, 'State', 'Read']}>
        {holdings.map((one) => (
          <Asset key={`${one.chain} ${one.asset}`} one={one} />
        ))}
      </Table>
    </Card>
  )
}

function Asset({ one }: { one: Holding }) {
  const { tone, label } = STATES[one.state] ?? UNKNOWN
  return (
    <tr>
      <Cell>
        <span className="font-medium">{one.asset}</span>
        <span className="block text-xs text-ink-faint capitalize">{one.chain}</span>
      </Cell>
      <Cell right className="tabular whitespace-nowrap">
        {units(one.units, one)}
        {one.value !== undefined && one.rate && (
          <span className="block text-xs text-ink-faint">
            <Amount value={one.value} /> at {formatRate(one.rate)}
            {one.rateAt && `, ${formatMoment(one.rateAt)}`}
          </span>
        )}
      </Cell>
      <Cell right className="tabular whitespace-nowrap">
        {units(one.books, one)}
      </Cell>
      <Cell right className="tabular font-medium whitespace-nowrap">
        {units(one.difference, one, true)}
      </Cell>
      <Cell className="whitespace-nowrap">
        <Badge tone={tone}>{label}</Badge>
      </Cell>
      <Cell className="whitespace-nowrap text-ink-faint">{one.at ? formatMoment(one.at) : 'never'}</Cell>
    </tr>
  )
}

function Addresses({ holdings }: { holdings: Holding[] }) {
  return (
    <Card className="overflow-hidden">
      <h2 className="px-4 pt-4 pb-1 text-base font-semibold">Addresses</h2>
      <Table label="Addresses" columns={['Address', { name: 'Held at the last reading', right: true }, 'Read']}>
        {holdings.flatMap((one) =>
          one.addresses.map(({ address, units: held, at }) => (
            <tr key={`${one.chain} ${one.asset} ${address}`}>
              <Cell className="min-w-56 font-mono text-[0.8125rem] break-all">{address}</Cell>
              <Cell right className="tabular whitespace-nowrap">
                {units(held, one)}
              </Cell>
              <Cell className="whitespace-nowrap text-ink-faint">{at && formatMoment(at)}</Cell>
            </tr>
          )),
        )}
      </Table>
    </Card>
  )
}

function Finding({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <Card className="overflow-hidden">
      <div className="bg-negative-soft px-4 py-3 text-negative">
        <h2 className="text-base font-semibold">{title}</h2>
        <p className="text-sm">{text}</p>
      </div>
      <ul className="divide-y divide-line text-sm">{children}</ul>
    </Card>
  )
}

function Outflows({ outflows }: { outflows: Holdings['outflows'] }) {
  return (
    <Finding title="Payments without a withdrawal" text="These left the platform, and no withdrawal accounts for them.">
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
                {formatAsset(payment)} on {payment.chain}: {payment.state}
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
