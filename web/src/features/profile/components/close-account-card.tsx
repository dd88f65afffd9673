import { Suspense, lazy, useState } from 'react'
import { Button } from '@/components/button'
import { Card, CardHeader } from '@/components/card'
import { loadChunk } from '@/lib/load-chunk'

// Few members ever open it.
const CloseAccountDialog = lazy(async () => ({
  default: (await loadChunk(() => import('./close-account-dialog'))).CloseAccountDialog,
}))

/** The way to end the account [D-A12]. */
export function CloseAccountCard() {
  const [open, setOpen] = useState(false)
  return (
    <Card className="border-negative">
      <CardHeader title="Close your account" description="For good, once nothing is left in it and nothing is open." />
      <div className="p-5 sm:p-6">
        <Button variant="danger" onClick={() => setOpen(true)}>
          Close account
        </Button>
      </div>
      {open && (
        <Suspense fallback={null}>
          <CloseAccountDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Card>
  )
}
