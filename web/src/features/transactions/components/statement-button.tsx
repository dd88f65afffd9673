import { Download } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { Skeleton } from '@/components/skeleton'
import { loadChunk } from '@/lib/load-chunk'

const StatementForm = lazy(async () => ({ default: (await loadChunk(() => import('./statement-form'))).StatementForm }))

/** Every movement of the balance in a period, to keep or to print. */
export function StatementButton() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button variant="secondary" icon={<Download aria-hidden className="size-4.5" />} onClick={() => setOpen(true)}>
        Statement
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Download a statement">
        <Suspense fallback={<Skeleton className="h-128" />}>
          <StatementForm onDone={() => setOpen(false)} />
        </Suspense>
      </Dialog>
    </>
  )
}
