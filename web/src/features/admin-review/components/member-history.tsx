import { Link } from 'react-router'
import { SignedAmount } from '@/components/amount'
import { StatusBadge } from '@/components/badge'
import { Card } from '@/components/card'
import { Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import { formatDay } from '@/lib/dates'
import { useFoundTransactions } from '@/features/admin/api/find-transactions'
import { adminPaths } from '@/features/admin/paths'
import { kindName } from '@/features/admin/components/kind-badge'

const SHOWN = 8

/** What the member did before. */
export function MemberHistory({ memberId, except }: { memberId: string; except: string }) {
  const { transactions, isPending, isFetching, error, refetch } = useFoundTransactions({ member: memberId })
  const others = transactions?.filter(({ id }) => id !== except)
  return (
    <Card>
      <header className="flex items-baseline justify-between gap-4 px-4 pt-4 sm:px-5">
        <h2 className="text-base font-semibold">History of the member</h2>
        <Link to={adminPaths.member(memberId)} className="text-sm font-semibold text-accent-text hover:underline">
          Member page
        </Link>
      </header>
      <div className="px-4 pt-1 pb-3 sm:px-5">
        {isPending ? (
          <div className="space-y-2 py-2">
            <Skeletons count={3} className="h-8" label="Loading the history" />
          </div>
        ) : !others ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
        ) : others.length === 0 ? (
          <p className="py-2 text-sm text-ink-faint">This is the member's first transaction.</p>
        ) : (
          <ul className="divide-y divide-line text-sm">
            {others.slice(0, SHOWN).map((one) => (
              <li key={one.id}>
                <Link
                  to={adminPaths.review(one.id)}
                  className="grid grid-cols-[minmax(0,1fr)_auto_5.75rem] items-center gap-x-3 py-2 hover:text-accent-text sm:grid-cols-[6rem_minmax(0,1fr)_auto_5.75rem]"
                >
                  <span className="tabular text-ink-faint max-sm:hidden">{one.reference}</span>
                  <span className="min-w-0 truncate font-medium">
                    {kindName(one.kind)}
                    <span className="font-normal text-ink-faint max-sm:hidden">, {formatDay(one.createdAt)}</span>
                  </span>
                  <SignedAmount value={one.amount} type={one.type} status={one.status} className="text-end font-medium" />
                  <span className="text-end">
                    <StatusBadge status={one.status} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}
