import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { api, type CallOptions } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'
import type { Course, Lesson, LessonProgress } from './course'

/** `done` is left out to leave it as it is. */
export type ProgressReport = { position: number; done?: boolean }

/** Reports how far the member has come; what a device wrote last is kept [D-C6]. */
const putProgress = async (lessonId: string, report: ProgressReport, at: Date, options?: CallOptions) =>
  (
    await api.put<{ progress: LessonProgress }>(
      `/courses/lessons/${encodeURIComponent(lessonId)}/progress`,
      { ...report, at: at.toISOString() },
      options,
    )
  ).progress

/** Shows the progress wherever it is on the screen. */
function show(client: QueryClient, lessonId: string, progress: LessonProgress | undefined) {
  client.setQueryData<Lesson>(queryKeys.lesson(lessonId), (lesson) => lesson && { ...lesson, progress })
  client.setQueryData<Course>(
    queryKeys.course,
    (course) =>
      course && {
        ...course,
        modules: course.modules.map((module) => ({
          ...module,
          lessons: module.lessons.map((lesson) => (lesson.id === lessonId ? { ...lesson, progress } : lesson)),
        })),
      },
  )
}

/** `silent` for reports that others follow: one that does not arrive is of no consequence. */
export function usePutProgress(lessonId: string, { silent }: { silent?: boolean } = {}) {
  const client = useQueryClient()
  const mutationKey = ['progress', lessonId]
  return useMutation({
    mutationKey,
    mutationFn: (report: ProgressReport) =>
      putProgress(lessonId, report, new Date(), { keepalive: document.visibilityState === 'hidden' }),
    // At once, so that the button answers; the server's word follows.
    onMutate: async ({ position, done }) => {
      await client.cancelQueries({ queryKey: queryKeys.course })
      const before = client.getQueryData<Lesson>(queryKeys.lesson(lessonId))?.progress
      show(client, lessonId, { position, done: done ?? before?.done ?? false, at: new Date().toISOString() })
      return before
    },
    onSuccess: (progress) => {
      // While a later report is on its way, this answer is out of date.
      if (client.isMutating({ mutationKey }) === 1) show(client, lessonId, progress)
    },
    onError: (_error, _report, before) => show(client, lessonId, before),
    meta: { silent, fallbackMessage: 'Your progress could not be saved' },
  })
}
