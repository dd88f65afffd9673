/** The course as `GET /courses` tells it: the outline, and what this member may read of it. */
export type LessonEntry = { id: string; title: string; minutes: number; preview: boolean; locked: boolean }
export type Module = { number: number; title: string; summary: string; lessons: LessonEntry[] }
export type Course = {
  title: string
  subtitle: string
  purchased: boolean
  /** A payment for it waits for review. */
  pending: boolean
  modules: Module[]
}

export type Lesson = { id: string; title: string; moduleNumber: number; moduleTitle: string; minutes: number; markdown: string }

export const lessonsOf = (course: Course) => course.modules.flatMap((module) => module.lessons)
