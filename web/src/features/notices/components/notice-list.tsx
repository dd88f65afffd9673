import { Bell, ChartNoAxesCombined, CircleDollarSign, GraduationCap, Lock, MessageSquare, type LucideIcon } from 'lucide-react'
import { useId, useState } from 'react'
import { Link } from 'react-router'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { MoreButton } from '@/components/more-button'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import type { Notice } from '@/lib/api-types'
import { byDay } from '@/lib/by-day'
import { formatDay, formatTime } from '@/lib/dates'
import { useNotices } from '../api/list-notices'
import { useReadNotices } from '../api/read-notices'
import { wordsOf, type Group } from '../words'

const icons: Record<Group, LucideIcon> = {
  money: CircleDollarSign,
  plans: ChartNoAxesCombined,
  courses: GraduationCap,
  cases: MessageSquare,
  security: Lock,
}

type ListProps = { group: Group | 'all'; onShowAll: () => void }

/** The notices of a group or all, by day. */
export function NoticeList({ group, onShowAll }: ListProps) {
  const query = useNotices(group)
  const { notices, isPending, isFetching, error, refetch } = query
  return (
    <Card className="overflow-hidden">
      {isPending ? (
        <div className="space-y-2 p-4">
          <Skeletons count={5} className="h-16" label="Loading the notices" />
        </div>
      ) : !notices ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      ) : notices.length === 0 ? (
        <NoNotices isFiltered={group !== 'all'} onShowAll={onShowAll} />
      ) : (
        byDay(notices, ({ at }) => at).map(([day, some]) => <Day key={day} day={day} notices={some} />)
      )}
      <MoreButton query={query} />
    </Card>
  )
}

function Day({ day, notices }: { day: string; notices: Notice[] }) {
  const [today] = useState(() => formatDay(Date.now()))
  const heading = useId()
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading} className="bg-sunken px-4 py-1.5 text-xs font-semibold sm:px-6">
        {day === today ? 'Today' : day}
      </h2>
      <ul className="divide-y divide-line">
        {notices.map((notice) => (
          <li key={notice.id}>
            <Row notice={notice} />
          </li>
        ))}
      </ul>
    </section>
  )
}

const row = 'flex min-h-16 w-full items-start gap-4 px-4 py-3.5 text-start sm:px-6'

/** Opening a notice marks it as read; one that leads nowhere is marked by pressing it. */
function Row({ notice }: { notice: Notice }) {
  const { mutate } = useReadNotices()
  const { to } = wordsOf(notice)
  const read = () => {
    if (!notice.readAt) mutate({ id: notice.id })
  }
  if (to) {
    return (
      <Link to={to} onClick={read} className={cx(row, 'transition-colors hover:bg-sunken')}>
        <Content notice={notice} />
      </Link>
    )
  }
  if (notice.readAt) {
    return (
      <div className={row}>
        <Content notice={notice} />
      </div>
    )
  }
  return (
    <button type="button" onClick={read} className={cx(row, 'transition-colors hover:bg-sunken')}>
      <Content notice={notice} />
    </button>
  )
}

function Content({ notice }: { notice: Notice }) {
  const { title, text } = wordsOf(notice)
  const Icon = icons[notice.group] ?? Bell
  return (
    <>
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-ink-faint" />
      <span className="min-w-0 flex-1 wrap-anywhere">
        <span className={cx('block', notice.readAt ? 'text-ink-soft' : 'font-semibold text-ink')}>{title}</span>
        {text && <span className="block text-sm text-ink-soft">{text}</span>}
        <span className="block text-sm text-ink-faint">{formatTime(notice.at)}</span>
      </span>
      {!notice.readAt && (
        <span className="mt-2 size-2 shrink-0 rounded-full bg-accent forced-colors:border">
          <span className="sr-only">Unread</span>
        </span>
      )}
    </>
  )
}

/** Nothing in this group, or nothing has happened yet. */
const NoNotices = ({ isFiltered, onShowAll }: { isFiltered: boolean; onShowAll: () => void }) =>
  isFiltered ? (
    <EmptyState
      icon={Bell}
      title="No notices of this kind"
      action={
        <Button variant="secondary" onClick={onShowAll}>
          Show all notices
        </Button>
      }
    />
  ) : (
    <EmptyState icon={Bell} title="No notices yet" description="What happens to your money and your account appears here, for 180 days." />
  )
