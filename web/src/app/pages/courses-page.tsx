import { Page } from '@/components/page'

export function CoursesPage() {
  return <Page title="Courses">{null}</Page>
}
