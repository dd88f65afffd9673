/** Which lessons a member has ticked off; kept in this browser only, apart for each member. */
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

type Progress = { done: Record<string, readonly string[]> }

const NOTHING: readonly string[] = []

const useProgress = create<Progress>()(persist((): Progress => ({ done: {} }), { name: 'course-progress' }))

export const useDoneLessons = (memberId: string) => useProgress(({ done }) => done[memberId] ?? NOTHING)

export function setLessonDone(memberId: string, lessonId: string, isDone: boolean) {
  useProgress.setState(({ done }) => {
    const others = (done[memberId] ?? NOTHING).filter((id) => id !== lessonId)
    return { done: { ...done, [memberId]: isDone ? [...others, lessonId] : others } }
  })
}
