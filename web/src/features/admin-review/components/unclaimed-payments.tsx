import { SearchCheck } from 'lucide-react'
import { Link } from 'react-router'
import { Amount } from '@/components/amount'
import { Card } from '@/components/card'
import { MoreButton } from '@/components/more-button'
import { EmptyState } from '@/components/states'
import { Age } from '@/features/admin/components/age'
import { Loaded } from '@/features/admin/components/loaded'
import { adminPaths } from '@/features/admin/paths'
import type { UnclaimedPayment } from '@/features/admin/api/types'
import { formatDateTime } from '@/lib/dates'
import { formatMoney, toCents } from '@/lib/money'
import { formatAsset } from '@/lib/units'
import { useUnclaimed } from '../api/list-unclaimed'
import { isNear } from '../detected'
import { stateOf } from './chain-payments'

/** Payments that nobody claims, each with the open transactions that it can be attached to [D-Q6]. */
export function UnclaimedPayments() {
  const query = useUnclaimed()
  return (
    <Card className="overflow-hidden">
      <Loaded query={query} label="Loading the payments">
        {(payments) =>
          payments.length === 0 ? (
            <EmptyState icon={SearchCheck} title="No unclaimed payments" description="Every payment that was seen on a chain belongs to a transaction." />
          ) : (
            <ul className="divide-y divide-line">
              {payments.map((one) => (
                <Payment key={`${one.chain} ${one.txid} ${one.index}`} one={one} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <MoreButton query={query} />
    </Card>
  )
}

/** The nearest amount first, if the payment has a value; of the same distance, as the server lists them. */
const byMatch = ({ candidates, value }: UnclaimedPayment) =>
  value === undefined ? candidates : candidates.toSorted((one, other) => distance(one.amount, value) - distance(other.amount, value))

const distance = (amount: number, value: number) => Math.abs(toCents(amount) - toCents(value))

function Payment({ one }: { one: UnclaimedPayment }) {
  return (
    <li className="grid grid-cols-1 gap-x-6 gap-y-2 px-4 py-3 text-sm lg:grid-cols-2">
      <div className="min-w-0">
        <p className="tabular text-base font-semibold">
          {formatAsset(one)}
          {one.value !== undefined && <span className="font-normal text-ink-soft"> worth {formatMoney(one.value)}</span>}
        </p>
        <p className="text-ink-soft">
          <span className="capitalize">{one.chain}</span>, {stateOf(one).toLowerCase()}
          {one.seenAt && `, seen ${formatDateTime(one.seenAt)}`}
        </p>
        <p className="font-mono text-[0.8125rem] break-all text-ink-soft">
          {one.txid}, output {one.index}
        </p>
        <p className="text-ink-faint">
          to <span className="font-mono text-[0.8125rem] break-all">{one.address}</span>
        </p>
      </div>
      <div className="min-w-0">
        <h2 className="font-medium">
          Attach to…{one.value !== undefined && one.candidates.length > 1 && <span className="font-normal text-ink-faint"> the nearest amount first</span>}
        </h2>
        {one.candidates.length === 0 ? (
          <p className="text-ink-faint">No open transaction was shown this address.</p>
        ) : (
          <ul className="divide-y divide-line">
            {byMatch(one).map(({ id, user, reference, amount, createdAt }, index) => (
              <li key={id}>
                <Link
                  to={adminPaths.attach(id, one)}
                  className="grid min-h-10 grid-cols-[minmax(0,1fr)_auto_5.5rem] items-center gap-x-4 py-1 hover:bg-sunken/60 pointer-coarse:min-h-11"
                >
                  <span className="min-w-0">
                    <span className="block truncate font-medium text-ink">{user.name}</span>
                    <span className="tabular block truncate text-xs text-ink-faint">
                      {reference}
                      {index === 0 && isNear(one.value, amount) && ' · best match'}
                    </span>
                  </span>
                  <Amount value={amount} className="font-semibold" />
                  <Age since={createdAt} className="text-end" />
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  )
}
