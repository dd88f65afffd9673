import { Suspense, lazy, useState, type ReactNode } from 'react'
import { Button } from '@/components/button'
import { Card, CardHeader } from '@/components/card'
import { formatZoned } from '@/lib/dates'
import type { LastPayoutProps } from '@/lib/last-payout'
import { loadChunk } from '@/lib/load-chunk'
import { useKeepAccount } from '../api/close-account'

// Few members ever open it.
const CloseAccountDialog = lazy(async () => ({
  default: (await loadChunk(() => import('./close-account-dialog'))).CloseAccountDialog,
}))

type CloseAccountCardProps = {
  closesAt?: string | undefined
  isPayingOut: boolean
  /** The fields that say where a balance is paid. */
  payout: (fields: LastPayoutProps) => ReactNode
}

/** The way to end the account [D-A12], or to keep it while its closing waits [D-M5]. */
export function CloseAccountCard({ closesAt, isPayingOut, payout }: CloseAccountCardProps) {
  const [open, setOpen] = useState(false)
  const keep = useKeepAccount()
  if (closesAt) {
    return (
      <Card className="border-negative">
        <CardHeader title="Your account is closing" description={isPayingOut ? 'It closes for good once your withdrawal is paid, 24 hours after you asked for it at the earliest.' : `It closes for good on ${formatZoned(closesAt)}.`} />
        <div className="space-y-4 p-5 text-sm sm:p-6">
          <p>Until then everything works as before. If you did not ask for this, keep the account and change your password.</p>
          <Button busyLabel="One moment..." onClick={() => keep.mutateAsync().catch(() => undefined)}>
            Keep my account
          </Button>
        </div>
      </Card>
    )
  }
  return (
    <Card className="border-negative">
      <CardHeader title="Close your account" description="For good, 24 hours after you ask for it, once nothing is open. What is left in it is paid out." />
      <div className="p-5 sm:p-6">
        <Button variant="danger" onClick={() => setOpen(true)}>
          Close account
        </Button>
      </div>
      {open && (
        <Suspense fallback={null}>
          <CloseAccountDialog payout={payout} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Card>
  )
}
