import { Bell } from 'lucide-react'
import { IconLink } from '@/components/button'
import { paths } from '@/lib/paths'
import { useNewestNotices } from '../api/list-notices'
import { useRenewedPush } from '../use-renewed-push'
import { useArrivals } from '../use-arrivals'

/** The server counts no further. */
const MOST = 100

/** Leads to the notices and says how many are unread; what arrives is shown for a moment [D-M7]. */
export function NoticeBell() {
  const { data } = useNewestNotices()
  useArrivals(data?.notices)
  useRenewedPush()
  const unread = data?.unread ?? 0
  const count = unread < MOST ? String(unread) : `${MOST - 1}+`
  return (
    <IconLink to={paths.notices} label={unread ? `Notices, ${count} unread` : 'Notices'} className="relative">
      <Bell aria-hidden className="size-5" />
      {unread > 0 && (
        <span
          aria-hidden
          translate="no"
          className="absolute top-1 inset-s-5.5 min-w-4.5 rounded-full bg-accent px-1 text-center text-xs leading-4.5 font-semibold text-accent-ink forced-colors:border"
        >
          {count}
        </span>
      )}
    </IconLink>
  )
}
