import { BookX, Lock } from 'lucide-react'
import { useParams } from 'react-router'
import { ButtonLink } from '@/components/button'
import { Page } from '@/components/page'
import { EmptyState, ErrorPanel } from '@/components/states'
import { useCourse } from '@/features/courses/api/get-course'
import { useLesson } from '@/features/courses/api/get-lesson'
import { LessonReader, TextSkeleton } from '@/features/courses/components/lesson-reader'
import { toApiError } from '@/lib/api-error'
import { paths } from '@/lib/paths'

export function LessonPage() {
  const { id = '' } = useParams()
  const { data: course } = useCourse()
  const { data: lesson, error, isFetching, refetch } = useLesson(id)
  if (lesson) return <LessonReader key={lesson.id} lesson={lesson} course={course} />
  return (
    <Page title="Lesson" width="form" back>
      {error ? <Refusal error={error} onRetry={() => void refetch()} busy={isFetching} /> : <TextSkeleton />}
    </Page>
  )
}

type RefusalProps = { error: unknown; onRetry: () => void; busy: boolean }

/** Locked, unknown and failed are three different things. */
function Refusal({ error, onRetry, busy }: RefusalProps) {
  const { status } = toApiError(error)
  if (status === 403) {
    return (
      <EmptyState
        icon={Lock}
        title="This lesson comes with the course"
        description="The curriculum and the first lesson are free to read."
        action={<ButtonLink to={paths.courses}>See the course</ButtonLink>}
      />
    )
  }
  if (status === 404) {
    return (
      <EmptyState
        icon={BookX}
        title="Lesson not found"
        description="It may have been renamed."
        action={<ButtonLink to={paths.courses}>All lessons</ButtonLink>}
      />
    )
  }
  return <ErrorPanel error={error} onRetry={onRetry} busy={busy} />
}
