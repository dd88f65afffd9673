import { Download } from 'lucide-react'
import { Button } from '@/components/button'
import type { Transaction } from '@/lib/api-types'
import { useDownloadDocument } from '../api/download-document'

/** A PDF of the transaction, with a number that anyone can check. What is not complete is a record, and no receipt [D-M9]. */
export function ReceiptButton({ transaction: { id, reference, status } }: { transaction: Transaction }) {
  const download = useDownloadDocument()
  return (
    <Button
      variant="secondary"
      icon={<Download aria-hidden className="size-4.5" />}
      busyLabel="Preparing..."
      onClick={() => download.mutateAsync({ path: `/transactions/${encodeURIComponent(id)}/receipt`, name: `solvane-receipt-${reference}.pdf` }).catch(() => {})}
    >
      {status === 'success' ? 'Download the receipt' : 'Download the record'}
    </Button>
  )
}
