import { CircleCheck, TriangleAlert } from 'lucide-react'
import { Link } from 'react-router'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import type { Check } from '@/features/admin/api/types'
import { adminPaths } from '@/features/admin/paths'

const names: Record<string, string> = {
  receipt_seen_before: 'Proof of payment',
  txid_used_before: 'Transaction hash',
  address_as_shown: 'Address',
  destination_confirmed: 'Confirmation',
  new_destination: 'Destination',
  amount_in_limits: 'Amount',
  member_account: 'Account',
  member_history: 'Member',
}

/** What speaks for and against a transaction; what speaks against stands first. */
export function Checklist({ checks }: { checks: readonly Check[] }) {
  const sorted = checks.toSorted((one, other) => Number(one.ok) - Number(other.ok))
  return (
    <Card aria-label="Checklist" className="px-4 py-1">
      <ul className="divide-y divide-line text-sm">
        {sorted.map((check) => (
          <Fact key={check.name} check={check} />
        ))}
      </ul>
    </Card>
  )
}

function Fact({ check: { name, ok, detail, transactionIds } }: { check: Check }) {
  const Icon = ok ? CircleCheck : TriangleAlert
  return (
    <li className="flex gap-3 py-2.5">
      <Icon aria-hidden className={cx('mt-0.5 size-4.5 shrink-0', ok ? 'text-positive' : 'text-caution')} />
      <div className="min-w-0">
        <p className="font-medium text-ink">
          {names[name] ?? name}
          <span className="sr-only">{ok ? ', OK' : ', needs attention'}</span>
        </p>
        <p className="break-words text-ink-soft">{detail}</p>
        {transactionIds.length > 0 && (
          <p className="mt-1 flex flex-wrap gap-x-3 gap-y-1">
            {transactionIds.map((id) => (
              <Link key={id} to={adminPaths.review(id)} className="tabular font-medium text-accent-text hover:underline">
                TNX-{id.slice(0, 6)}
              </Link>
            ))}
          </p>
        )}
      </div>
    </li>
  )
}
