import { CircleCheck, CircleHelp, CircleX, TriangleAlert } from 'lucide-react'
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
  member_debts: 'Debts and holds',
  activity_disowned: 'Report of foreign activity',
  member_history: 'Member',
  payment_found: 'On the chain',
  payment_asset: 'Currency received',
  payment_recipient: 'Recipient',
  payment_units: 'Amount received',
  payment_confirmations: 'Confirmations',
  payment_time: 'Time of payment',
  payment_quote: 'Quote',
}

/** In the order of the list: what speaks against a transaction stands first. */
const states = [
  { state: 'fail', Icon: CircleX, tone: 'text-negative', words: ', failed' },
  { state: 'unknown', Icon: CircleHelp, tone: 'text-ink-faint', words: ', unknown' },
  { state: 'warn', Icon: TriangleAlert, tone: 'text-caution', words: ', needs attention' },
  { state: 'ok', Icon: CircleCheck, tone: 'text-positive', words: ', OK' },
] as const

const rank = ({ state }: Check) => states.findIndex((one) => one.state === state)

/** What speaks for and against a transaction; what speaks against stands first. */
export function Checklist({ checks }: { checks: readonly Check[] }) {
  const sorted = checks.toSorted((one, other) => rank(one) - rank(other))
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

function Fact({ check }: { check: Check }) {
  const { name, detail, transactionIds } = check
  const { Icon, tone, words } = states[rank(check)] ?? states[1]
  return (
    <li className="flex gap-3 py-2.5">
      <Icon aria-hidden className={cx('mt-0.5 size-4.5 shrink-0', tone)} />
      <div className="min-w-0">
        <p className="font-medium text-ink">
          {names[name] ?? name}
          <span className="sr-only">{words}</span>
        </p>
        <p className="break-words text-ink-soft">{detail}</p>
        {transactionIds.length > 0 && (
          <p className="mt-1 flex flex-wrap gap-x-3 gap-y-1">
            {transactionIds.map((id) => (
              <Link key={id} to={adminPaths.review(id)} className="tabular inline-flex min-h-6 items-center font-medium text-accent-text hover:underline">
                TNX-{id.slice(0, 6)}
              </Link>
            ))}
          </p>
        )}
      </div>
    </li>
  )
}
