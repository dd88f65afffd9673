import { Check } from 'lucide-react'
import { Link, useSearchParams } from 'react-router'
import { Button } from '@/components/button'
import { Page } from '@/components/page'
import { Segmented } from '@/components/segmented'
import { useNewestNotices } from '@/features/notices/api/list-notices'
import { useReadNotices } from '@/features/notices/api/read-notices'
import { AnnouncementList } from '@/features/notices/components/announcements'
import { NoticeList } from '@/features/notices/components/notice-list'
import { groups } from '@/features/notices/words'
import { paths } from '@/lib/paths'

/** What happened to the member's money and account [D-M7]. */
export function NoticesPage() {
  const [params, setParams] = useSearchParams()
  const group = groups.find(({ value }) => value === params.get('group'))?.value ?? 'all'
  const choose = (value: string) => setParams(value === 'all' ? {} : { group: value }, { replace: true, preventScrollReset: true })
  return (
    <Page title="Notices" width="form" description="Of the last 180 days." action={<ReadAll />}>
      <AnnouncementList />
      <div className="mb-4">
        <Segmented legend="About" options={groups} value={group} onChange={choose} />
      </div>
      <NoticeList group={group} onShowAll={() => choose('all')} />
      <p className="mt-4 text-sm text-ink-soft">
        {'Which of them we email you, too, is in your '}
        <Link to={paths.profile} className="font-medium text-accent-text underline">
          profile
        </Link>
        .
      </p>
    </Page>
  )
}

/** Those that arrive meanwhile stay unread. */
function ReadAll() {
  const { data } = useNewestNotices()
  const { mutateAsync } = useReadNotices()
  const newest = data?.notices[0]
  return (
    <Button
      variant="secondary"
      size="sm"
      disabled={!newest || !data.unread}
      icon={<Check aria-hidden className="size-4" />}
      onClick={() => newest && mutateAsync({ upTo: newest.id })}
    >
      Mark all as read
    </Button>
  )
}
