import { Download } from 'lucide-react'
import { Link } from 'react-router'
import { Button } from '@/components/button'
import { Card, CardHeader } from '@/components/card'
import { paths } from '@/lib/paths'
import { useDownloadData } from '../api/download-data'

/** The member's own copy of everything that is kept about them [D-A12]. */
export function DataCard() {
  const download = useDownloadData()
  return (
    <Card>
      <CardHeader title="Your data" description="Everything that we keep about you, as one file." />
      <div className="space-y-4 p-5 sm:p-6">
        <p className="text-sm text-ink-soft">
          {'The archive contains your account, transactions, statements, investments, saved addresses, emails and uploaded files. The '}
          <Link to={paths.privacy} className="font-semibold text-accent-text underline">
            privacy policy
          </Link>
          {' says how long we keep them.'}
        </p>
        <Button
          variant="secondary"
          icon={<Download aria-hidden className="size-4.5" />}
          busyLabel="Preparing..."
          onClick={() => download.mutateAsync()}
        >
          Download your data
        </Button>
      </div>
    </Card>
  )
}
