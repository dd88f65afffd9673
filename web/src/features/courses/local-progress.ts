/** Earlier versions of the app kept which lessons are done in the browser only: moves them to the server, once. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { toApiError } from '@/lib/api-error'
import { queryKeys } from '@/lib/query-keys'
import { putProgress } from './api/put-progress'

const KEY = 'course-progress'

/** Before everything that the server may know: a lesson that is not done any more stays so. */
const LONG_AGO = new Date(0)

type Stored = { state?: { done?: Record<string, string[]> } }

function read(): Stored {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Stored
  } catch {
    return {}
  }
}

function forget(memberId: string) {
  const others = { ...read().state?.done }
  delete others[memberId]
  if (Object.keys(others).length === 0) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, JSON.stringify({ state: { done: others }, version: 0 }))
}

async function move(memberId: string, lessonIds: readonly string[]) {
  for (const lessonId of lessonIds) {
    try {
      await putProgress(lessonId, { position: 0, done: true }, LONG_AGO)
    } catch (error) {
      // A lesson that is gone or locked has no progress; anything else is tried again the next time.
      if (![403, 404].includes(toApiError(error).status ?? 0)) return
    }
  }
  forget(memberId)
}

export function useLocalProgress(memberId: string) {
  const client = useQueryClient()
  useEffect(() => {
    const lessonIds = read().state?.done?.[memberId]
    if (!lessonIds) return
    void move(memberId, lessonIds).then(() => client.invalidateQueries({ queryKey: queryKeys.course }))
  }, [memberId, client])
}
