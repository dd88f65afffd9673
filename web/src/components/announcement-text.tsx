import type { Announcement } from '@/lib/api-types'
import { formatZoned } from '@/lib/dates'

/** What staff announce, and when they did. */
export const AnnouncementText = ({ one }: { one: Announcement }) => (
  <>
    <p className="wrap-anywhere text-ink">{one.text}</p>
    <p className="mt-1 text-sm text-ink-faint">{formatZoned(one.at)}</p>
  </>
)
