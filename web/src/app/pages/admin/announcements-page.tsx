import { AdminPage } from '@/features/admin/components/admin-page'
import { AnnouncementBoard } from '@/features/admin-announcements/components/announcement-board'
import { AnnounceButton } from '@/features/admin-announcements/components/announcement-form'
import { OpenProposals } from '@/features/admin-proposals/components/open-proposals'

export function AnnouncementsPage() {
  return (
    <AdminPage title="Announcements" description="What all members read in the app, and everybody on the status page" action={<AnnounceButton />}>
      <div className="space-y-5">
        <OpenProposals about={({ kind }) => kind.startsWith('announcement.')} />
        <AnnouncementBoard />
      </div>
    </AdminPage>
  )
}
