import { ButtonLink } from '@/components/button'
import { Notice } from '@/components/notice'
import { useTransactions } from '@/features/transactions/api/list-transactions'
import { isApproved } from '@/lib/approved'
import { paths } from '@/lib/paths'

/** A member has one open withdrawal at a time, whose page offers what can be done. */
export function OpenWithdrawal() {
  const { transactions } = useTransactions()
  const open = transactions?.find(({ title, status }) => title === 'Withdrawal' && status === 'pending')
  return (
    <Notice title={open?.needsConfirmation ? 'Your open withdrawal needs your confirmation' : 'You have an open withdrawal'}>
      {open?.needsConfirmation && (
        <p className="mb-2">Please confirm its address with the code we emailed you. We then review the withdrawal.</p>
      )}
      <p>
        You can request another one once it is paid out. There is nothing you need to pay first: the fee is deducted
        from the payout.
        {open && !isApproved(open) && <span> You can pay it separately if you would rather receive the full amount.</span>}
      </p>
      {open && (
        <ButtonLink to={paths.transaction(open.id)} variant="secondary" size="sm" className="mt-3">
          {open.needsConfirmation ? 'Confirm the address' : 'View the open withdrawal'}
        </ButtonLink>
      )}
    </Notice>
  )
}
