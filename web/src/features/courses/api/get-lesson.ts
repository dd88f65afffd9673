import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'
import type { Lesson } from './course'

const lessonQuery = (id: string) => ({
  queryKey: queryKeys.lesson(id),
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await api.get<{ lesson: Lesson }>(`/courses/lessons/${encodeURIComponent(id)}`, { signal })).lesson,
  meta: { silent: true },
})

/** A lesson's text; the server decides who may read it. */
export const useLesson = (id: string) => useQuery(lessonQuery(id))

/** Asks for newly signed links, and answers with that of the video. */
export function useRenewedLesson(id: string) {
  const client = useQueryClient()
  return useCallback(async () => (await client.fetchQuery({ ...lessonQuery(id), staleTime: 0 })).video?.hls, [client, id])
}
