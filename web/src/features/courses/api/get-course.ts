import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'
import type { Course } from './course'

/** How often to look again while a payment for the course is reviewed. */
const PENDING_POLL_MS = 10_000

const fetchCourse = async (signal: AbortSignal) => (await api.get<{ course: Course }>('/courses', { signal })).course

export function useCourse() {
  return useQuery({
    queryKey: queryKeys.course,
    queryFn: ({ signal }) => fetchCourse(signal),
    refetchInterval: ({ state }) => (state.data?.pending ? PENDING_POLL_MS : false),
  })
}
