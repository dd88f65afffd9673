import { X } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { AnnouncementText } from '@/components/announcement-text'
import { IconButton } from '@/components/button'
import { Card } from '@/components/card'
import { Notice } from '@/components/notice'
import { paths } from '@/lib/paths'
import { useNewestNotices } from '../api/list-notices'
import { readDismissed, writeDismissed } from '../dismissed'

/** What staff announce to all members, until it is put away or over, on every page but that of the notices, which lists it [D-M7]. */
export function AnnouncementBanners() {
  const all = useNewestNotices().data?.announcements ?? []
  const [dismissed, setDismissed] = useState(readDismissed)
  const shown = all.filter(({ id }) => !dismissed.includes(id))
  const { pathname } = useLocation()
  if (shown.length === 0 || pathname === paths.notices) return null
  const dismiss = (id: string) => setDismissed(writeDismissed([...dismissed, id]))
  return (
    <section aria-label="Announcements" className="mb-6 space-y-3">
      {shown.map((one) => (
        <div key={one.id} className="relative">
          <Notice>
            <div className="pe-9">
              <AnnouncementText one={one} />
            </div>
          </Notice>
          <IconButton label={`Dismiss: ${one.text}`} onClick={() => dismiss(one.id)} className="absolute top-1 inset-e-1">
            <X aria-hidden className="size-5" />
          </IconButton>
        </div>
      ))}
    </section>
  )
}

/** Above the notices, also those that were put away. */
export function AnnouncementList() {
  const all = useNewestNotices().data?.announcements ?? []
  if (all.length === 0) return null
  return (
    <Card className="mb-4">
      <h2 className="bg-sunken px-4 py-1.5 text-xs font-semibold sm:px-6">To all members</h2>
      <ul className="divide-y divide-line">
        {all.map((one) => (
          <li key={one.id} className="px-4 py-3.5 sm:px-6">
            <AnnouncementText one={one} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
