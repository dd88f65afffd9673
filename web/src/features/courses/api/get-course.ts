import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { FRESH_MS } from '@/lib/query-client'
import { queryKeys } from '@/lib/query-keys'
import type { Course } from './course'

/** How often to look again while a payment for the course is reviewed. */
const PENDING_POLL_MS = 10_000

const fetchCourse = async (signal: AbortSignal) => (await api.get<{ course: Course }>('/courses', { signal })).course

export const courseQuery = queryOptions({
  queryKey: queryKeys.course,
  queryFn: ({ signal }) => fetchCourse(signal),
  staleTime: FRESH_MS,
})

export function useCourse() {
  return useQuery({
    ...courseQuery,
    refetchInterval: ({ state }) => (state.data?.pending ? PENDING_POLL_MS : false),
  })
}
