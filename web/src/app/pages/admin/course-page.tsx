import { AdminPage } from '@/features/admin/components/admin-page'
import { Loaded } from '@/features/admin/components/loaded'
import { useStudio, useVersion } from '@/features/admin-course/api/studio'
import { StudioEditor } from '@/features/admin-course/components/studio-editor'

export function CoursePage() {
  const query = useStudio()
  const published = useVersion(query.data?.published ?? 0, query.data !== undefined)
  const ids = new Set(published.data?.modules.flatMap(({ lessons }) => lessons.map(({ id }) => id)))
  return (
    <AdminPage title="Course">
      <Loaded query={query} label="Loading the course" skeleton="h-32">
        {(studio) => <StudioEditor key={query.dataUpdatedAt} studio={studio} published={ids} />}
      </Loaded>
    </AdminPage>
  )
}
