import { Link } from 'react-router'
import { Notice } from '@/components/notice'
import { WithSupport } from '@/components/with-support'
import type { Wallet } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'
import { formatMoney } from '@/lib/money'
import { newCase } from '@/lib/new-case'

/** What is kept back, with each reason and the way to ask why, and what is owed. */
export function KeptBack({ wallet: { onHold, holds, owed } }: { wallet: Wallet }) {
  return (
    <>
      {onHold != null && onHold > 0 && (
        <Notice title={`On hold: ${formatMoney(onHold)}`}>
          <ul className="space-y-0.5">
            {holds?.map(({ id, amount, reason, createdAt }) => (
              <li key={id}>
                {formatMoney(amount)}
                {createdAt && ` since ${formatDay(createdAt)}`}: <WithSupport text={reason} />{' '}
                <Link className="font-medium underline" to={newCase('account', { kind: 'hold', reference: id })}>
                  Ask why
                  <span className="sr-only">{` ${formatMoney(amount)} is on hold`}</span>
                </Link>
              </li>
            ))}
          </ul>
          <p>This money is yours, but it is not part of your available balance until we release it.</p>
        </Notice>
      )}
      {owed != null && owed > 0 && (
        <Notice tone="caution" title={`Owed: ${formatMoney(owed)}`}>
          A payment to your account was reversed after the money was used. Incoming payments settle this amount first.
          Until then you cannot withdraw, invest or buy the course.
        </Notice>
      )}
    </>
  )
}
