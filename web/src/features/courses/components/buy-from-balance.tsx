import { useState } from 'react'
import { Button, ButtonLink, CancelButton } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { cx } from '@/components/cx'
import { MoneyButton } from '@/components/money-button'
import { formatCents, toCents } from '@/lib/money'
import { paths } from '@/lib/paths'
import { useSubmissionKey } from '@/lib/submission'
import { usePurchaseCourse } from '../api/purchase-course'

/** The second way to pay: at once, from the balance, after a dialog that shows the balance before and after. */
export function BuyFromBalance({ balance, price }: { balance: number | null; price: number }) {
  const [asking, setAsking] = useState(false)
  if (balance === null) return null
  return (
    <div>
      <MoneyButton variant="secondary" onClick={() => setAsking(true)}>
        Pay from balance
      </MoneyButton>
      <Confirm open={asking} onClose={() => setAsking(false)} balanceCents={toCents(balance)} priceCents={toCents(price)} />
    </div>
  )
}

type ConfirmProps = { open: boolean; onClose: () => void; balanceCents: number; priceCents: number }

function Confirm({ open, onClose, balanceCents, priceCents }: ConfirmProps) {
  const purchase = usePurchaseCourse()
  const submissionKey = useSubmissionKey()
  const enough = balanceCents >= priceCents

  const buy = async () => {
    try {
      await purchase.mutateAsync(submissionKey.for('course'))
      submissionKey.settle()
      onClose()
    } catch (error) {
      submissionKey.settle(error)
    }
  }

  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Pay from your balance?"
      footer={
        <>
          <CancelButton onClick={onClose} />
          {enough ? (
            <Button busyLabel="Paying..." onClick={buy}>
              Pay {formatCents(priceCents)}
            </Button>
          ) : (
            <ButtonLink to={paths.deposits}>Make a deposit</ButtonLink>
          )}
        </>
      }
    >
      <p>{enough ? 'The course opens at once. Our terms say when it can be refunded.' : 'Insufficient balance'}</p>
      <dl className="mt-4 divide-y divide-line text-sm">
        <Line label="Available balance" cents={balanceCents} />
        <Line label="Lifetime access" cents={-priceCents} />
        {enough && <Line label="Balance afterwards" cents={balanceCents - priceCents} strong />}
      </dl>
    </Dialog>
  )
}

function Line({ label, cents, strong = false }: { label: string; cents: number; strong?: boolean }) {
  return (
    <div className="flex justify-between gap-4 py-2.5">
      <dt>{label}</dt>
      <dd className={cx('tabular text-ink', cents < 0 && 'signed', strong && 'font-semibold')}>{formatCents(cents)}</dd>
    </div>
  )
}
