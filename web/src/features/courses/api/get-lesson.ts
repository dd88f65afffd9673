import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'
import type { Lesson } from './course'

const fetchLesson = async (id: string, signal: AbortSignal) =>
  (await api.get<{ lesson: Lesson }>(`/courses/lessons/${encodeURIComponent(id)}`, { signal })).lesson

/** A lesson's text; the server decides who may read it. */
export function useLesson(id: string) {
  return useQuery({
    queryKey: queryKeys.lesson(id),
    queryFn: ({ signal }) => fetchLesson(id, signal),
    meta: { silent: true },
  })
}
