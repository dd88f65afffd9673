import { Amount } from '@/components/amount'
import { Card } from '@/components/card'
import type { LedgerEntry } from '../api/types'
import { formatMoment } from '@/lib/dates'
import { CardHead } from './card-head'
import { ShownCsvButton } from './shown-csv-button'
import { Cell, Table } from './table'

/** Accounts of the ledger in words: the member's first, then the house's. */
const accounts: Record<string, string> = {
  available: 'Available',
  held: 'Held',
  invested: 'Invested',
  bonus: 'Bonus',
  on_hold: 'On hold',
  owed: 'Owed by the member',
  settlement: 'Platform holdings',
  course_revenue: 'Course revenue',
  fee_revenue: 'Fee revenue',
  investment_pool: 'Investment pool',
  capital: 'Capital',
  network_fees: 'Network fees',
  plan_cash: 'Cash of the plan',
  plan_assets: 'Assets of the plan',
  bonus_expense: 'Bonus expense',
  adjustments: 'Adjustments',
}

const columns = {
  posting: (one: LedgerEntry) => one.postingId,
  account: (one: LedgerEntry) => accounts[one.account] ?? one.account,
  kind: (one: LedgerEntry) => one.kind.replaceAll('_', ' '),
  at: (one: LedgerEntry) => one.at,
  amount: (one: LedgerEntry) => one.amount,
  balance: (one: LedgerEntry) => one.balance,
}

/** What moved in the ledger, each with the balance of its account afterwards. */
export function LedgerEntries({ entries, note }: { entries: readonly LedgerEntry[]; note: string }) {
  return (
    <Card className="overflow-hidden">
      <CardHead title="Ledger entries">
        {entries.length > 0 && <ShownCsvButton size="sm" columns={columns} rows={entries} name="solvane-ledger-entries" aria-label="Ledger entries as CSV" />}
      </CardHead>
      <p className="px-4 pb-1 text-sm text-ink-faint">{note}</p>
      {entries.length === 0 ? (
        <p className="px-4 pt-1 pb-4 text-sm text-ink-faint">No entries yet.</p>
      ) : (
        <Table label="Ledger entries" columns={['Posting', 'Account', 'Time', { name: 'Amount', right: true }, { name: 'Balance', right: true }]}>
          {entries.map(({ postingId, account, kind, at, amount, balance }) => (
            <tr key={`${postingId}-${account}`}>
              <Cell className="tabular text-ink-faint">{postingId}</Cell>
              <Cell>
                {accounts[account] ?? account.replaceAll('_', ' ')}
                <span className="block text-ink-faint">{kind.replaceAll('_', ' ')}</span>
              </Cell>
              <Cell className="whitespace-nowrap text-ink-faint">{at && formatMoment(at)}</Cell>
              <Cell right className="font-medium">
                <Amount value={amount} />
              </Cell>
              <Cell right>
                <Amount value={balance} />
              </Cell>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
