import { Link } from 'react-router'
import { SignedAmount } from '@/components/amount'
import { StatusBadge } from '@/components/badge'
import type { StaffTransaction } from '../api/types'
import { formatMoments } from '@/lib/dates'
import { adminPaths } from '../paths'
import { kindName } from './kind-badge'
import { Cell, Table } from './table'

/** Transactions with a way to each; `withMember` names whose they are. */
export function TransactionTable({ rows, withMember = false }: { rows: readonly StaffTransaction[]; withMember?: boolean }) {
  const columns = ['Reference', ...(withMember ? ['Member'] : []), 'Kind', 'Created', 'Status', { name: 'Amount', right: true }]
  const made = formatMoments(rows.map(({ createdAt }) => createdAt))
  return (
    <Table label="Transactions" columns={columns}>
      {rows.map((row, index) => (
        <tr key={row.id} className="hover:bg-sunken/50">
          <Cell>
            <Link to={adminPaths.review(row.id)} className="tabular font-medium whitespace-nowrap text-accent-text hover:underline">
              {row.reference}
            </Link>
          </Cell>
          {withMember && (
            <Cell>
              <Link to={adminPaths.member(row.memberId)} className="font-medium whitespace-nowrap hover:underline">
                {row.user.name}
              </Link>
            </Cell>
          )}
          <Cell>{kindName(row.kind)}</Cell>
          <Cell className="whitespace-nowrap text-ink-faint">{made[index]}</Cell>
          <Cell>
            <StatusBadge status={row.status} />
          </Cell>
          <Cell right className="font-medium">
            <SignedAmount value={row.amount} type={row.type} status={row.status} />
          </Cell>
        </tr>
      ))}
    </Table>
  )
}
