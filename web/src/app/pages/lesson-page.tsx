import { Page } from '@/components/page'

export function LessonPage() {
  return <Page title="Lesson">{null}</Page>
}
