import { Megaphone } from 'lucide-react'
import { useState } from 'react'
import { AnnouncementText } from '@/components/announcement-text'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Confirmation } from '@/components/confirmation'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import type { Announcement } from '@/lib/api-types'
import { formatZoned } from '@/lib/dates'
import { CardHead } from '@/features/admin/components/card-head'
import { ShownCsvButton } from '@/features/admin/components/shown-csv-button'
import { useMay } from '@/features/admin/permissions'
import { useAnnouncements, useEndAnnouncement } from '../api/announcements'

const columns = {
  text: (one: Announcement) => one.text,
  publishedAt: (one: Announcement) => one.at,
  shownUntil: (one: Announcement) => one.endsAt,
}

/** What members read now, and the way to end it. */
export function AnnouncementBoard() {
  const { data, isPending, isFetching, error, refetch } = useAnnouncements()
  const may = useMay()
  const end = useEndAnnouncement()
  const [ending, setEnding] = useState<Announcement>()
  if (isPending) return <Skeletons count={2} className="h-24" label="Loading the announcements" />
  if (!data) return <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
  return (
    <Card>
      {data.length > 0 && (
        <CardHead title="Shown now">
          <ShownCsvButton size="sm" columns={columns} rows={data} name="solvane-announcements" aria-label="Announcements as CSV" />
        </CardHead>
      )}
      {data.length === 0 ? (
        <EmptyState icon={Megaphone} title="Nothing is announced" description="Members see an announcement once another person has confirmed it." />
      ) : (
        <ul className="divide-y divide-line">
          {data.map((one) => (
            <li key={one.id} className="flex flex-wrap items-start justify-between gap-4 p-4">
              <div className="min-w-0 flex-1 basis-80">
                <AnnouncementText one={one} />
                <p className="text-sm text-ink-faint">{`Shown until ${formatZoned(one.endsAt)}`}</p>
              </div>
              <Button size="sm" variant="secondary" disabled={!may('announce')} aria-label={`End: ${one.text}`} onClick={() => setEnding(one)}>
                End
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Confirmation
        act="DELETE /admin/announcements/{id}"
        facts={ending && { text: ending.text }}
        onConfirm={() => ending && end.mutateAsync(ending.id).then(() => setEnding(undefined), () => undefined)}
        onClose={() => setEnding(undefined)}
      />
    </Card>
  )
}
