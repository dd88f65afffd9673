import { Search, SearchX } from 'lucide-react'
import { Link } from 'react-router'
import { Avatar } from '@/components/avatar'
import { Badge } from '@/components/badge'
import { Card } from '@/components/card'
import { TextField } from '@/components/field'
import { EmptyState } from '@/components/states'
import type { User } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'
import { formatMoney } from '@/lib/money'
import { useFoundTransactions } from '@/features/admin/api/find-transactions'
import { AsOf } from '@/features/admin/components/as-of'
import { useMembers } from '@/features/admin/api/members'
import { adminPaths } from '@/features/admin/paths'
import { useTypedParam } from '@/features/admin/use-typed-param'
import { CsvButton } from '@/features/admin/components/csv-button'
import { Loaded } from '@/features/admin/components/loaded'
import { MoreButton } from '@/components/more-button'
import { Cell, Table } from '@/features/admin/components/table'
import { TransactionTable } from '@/features/admin/components/transaction-table'

/** One box for names, emails, references, addresses and hashes. */
export function MemberSearch() {
  const { text, setText, wanted } = useTypedParam('search')
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="w-full max-w-xl">
          <TextField
            label="Search"
            type="search"
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
            leading={<Search aria-hidden className="size-4.5" />}
            hint="A name, an email, TNX-…, an address or a transaction hash"
            className="ps-10!"
          />
        </div>
        <div className="sm:mt-6.5">
          <CsvButton url="/admin/members" filter={{ search: wanted }} name="solvane-members" aria-label="Members as CSV" />
        </div>
      </div>
      {wanted && <FoundTransactions search={wanted} />}
      <FoundMembers search={wanted} />
    </div>
  )
}

type Wallet = NonNullable<User['wallet']>

const balances: readonly [string, (wallet: Wallet) => number][] = [
  ['Available', ({ balance }) => balance],
  ['Held', ({ held }) => held],
  ['On hold', ({ onHold = 0 }) => onHold],
  ['Invested', ({ invested }) => invested],
]

/** Zeros are faint: what a member has stands out. */
const Balance = ({ amount }: { amount: number }) =>
  amount === 0 ? <span className="text-ink-faint">{formatMoney(0)}</span> : <span className="font-medium">{formatMoney(amount)}</span>

function FoundMembers({ search }: { search: string }) {
  const query = useMembers(search)
  const { transactions } = useFoundTransactions({ search }, { enabled: search !== '' })
  const hasTransactions = search !== '' && transactions !== undefined && transactions.length > 0
  return (
    <Card className="overflow-hidden">
      <Loaded query={{ ...query, data: query.members }} label="Loading the members" count={5}>
        {(members) =>
          members.length === 0 ? (
            hasTransactions ? (
              <p className="px-4 py-3 text-sm text-ink-faint">No member has this name or email.</p>
            ) : (
              <EmptyState icon={SearchX} title={search ? 'No members found' : 'No members yet'} />
            )
          ) : (
            <>
              <Table label="Members" columns={['Member', 'Country', 'Since', 'Account', ...balances.map(([name]) => ({ name, right: true }))]}>
                {members.map((one) => (
                  <tr key={one.id} className="hover:bg-sunken/50">
                    <Cell>
                      <Link to={adminPaths.member(one.id)} className="flex items-center gap-3 rounded-sm">
                        <Avatar src={one.image} name={one.name} className="size-9" />
                        <span className="min-w-0">
                          <span className="block font-medium text-ink">{one.name}</span>
                          <span className="block text-ink-faint">{one.email}</span>
                        </span>
                      </Link>
                    </Cell>
                    <Cell className="whitespace-nowrap">{one.country}</Cell>
                    <Cell className="whitespace-nowrap text-ink-faint">{one.createdAt && formatDay(one.createdAt)}</Cell>
                    <Cell className="space-x-1.5 whitespace-nowrap">
                      <AccountBadge member={one} />
                      {one.wallet?.owed ? <Badge tone="negative">{`Owes ${formatMoney(one.wallet.owed)}`}</Badge> : null}
                    </Cell>
                    {balances.map(([name, amountOf]) => (
                      <Cell key={name} right className="tabular whitespace-nowrap">
                        {one.wallet ? <Balance amount={amountOf(one.wallet)} /> : <span aria-label="not available">–</span>}
                      </Cell>
                    ))}
                  </tr>
                ))}
              </Table>
              <MoreButton query={query} />
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

export function AccountBadge({ member: { closedAt, isFrozen, isVerified } }: { member: User }) {
  if (closedAt) return <Badge>Closed</Badge>
  if (isFrozen) return <Badge tone="negative">Frozen</Badge>
  return isVerified ? <Badge tone="positive">Active</Badge> : <Badge>Email not confirmed</Badge>
}

/** Shown only if something matches, because most searches are for a person. */
function FoundTransactions({ search }: { search: string }) {
  const query = useFoundTransactions({ search })
  if (!query.transactions?.length) return null
  return (
    <Card className="overflow-hidden">
      <div className="flex items-center justify-between gap-4 px-4 pt-4 pb-1">
        <h2 className="text-base font-semibold">Matching transactions</h2>
        <CsvButton size="sm" url="/admin/transactions" filter={{ search }} name="solvane-transactions" aria-label="Transactions as CSV" />
      </div>
      <AsOf at={query.asOf} className="px-4 pb-1" />
      <TransactionTable rows={query.transactions} withMember />
      <MoreButton query={query} />
    </Card>
  )
}
