/** What the course looks like for somebody who has come this far. */
import { lessonsOf, type Course } from './api/course'

export function progressOf(course: Course) {
  const lessons = lessonsOf(course)
  const done = lessons.filter(({ progress }) => progress?.done).length
  return { done, total: lessons.length, next: nextLesson(course) }
}

/** The lesson that was begun last, else the first one that is not done, else the first one. */
export function nextLesson(course: Course) {
  const open = lessonsOf(course).filter(({ progress, locked }) => !progress?.done && !locked)
  const begun = open.filter(({ progress }) => progress).sort((one, other) => (other.progress?.at ?? '').localeCompare(one.progress?.at ?? ''))
  return begun[0] ?? open[0] ?? lessonsOf(course)[0]
}
