import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Page } from '@/components/page'
import { Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import { useCourse } from '@/features/courses/api/get-course'
import { CertificateCard } from '@/features/courses/components/certificate-card'
import { CourseCard } from '@/features/courses/components/course-card'
import { Curriculum } from '@/features/courses/components/curriculum'
import { queryKeys } from '@/lib/query-keys'
import { useMember } from '@/lib/session'

export function CoursesPage() {
  const user = useMember()
  const { data: course, isPending, isFetching, error, refetch } = useCourse()
  useNewPurchase(course?.purchased ?? false)
  return (
    <Page title="Courses" description="One course, seven modules, lifetime access.">
      {isPending ? (
        <div className="space-y-4">
          <Skeletons count={1} className="h-72" label="Loading the course" />
          <Skeletons count={3} className="h-32" label="Loading the curriculum" />
        </div>
      ) : course ? (
        <div className="space-y-8">
          <CourseCard course={course} balance={user.wallet?.balance ?? null} />
          <CertificateCard course={course} />
          <Curriculum course={course} />
        </div>
      ) : (
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      )}
    </Page>
  )
}

/** When the course turns out to be paid, the member's own record is asked for again [CRS-02]. */
function useNewPurchase(purchased: boolean) {
  const { hasPurchasedCourse } = useMember()
  const client = useQueryClient()
  const isNews = purchased && !hasPurchasedCourse
  useEffect(() => {
    if (isNews) void client.refetchQueries({ queryKey: queryKeys.session })
  }, [isNews, client])
}
