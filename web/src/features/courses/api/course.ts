/** The course as `GET /courses` returns it: the outline, and what this member may read of it. */
import type { components } from '@/lib/api-schema'

type Schemas = components['schemas']

export type LessonEntry = Schemas['LessonEntry']
export type Module = Schemas['ModuleEntry']
export type Course = Schemas['CourseEntry']

export type Lesson = Schemas['LessonText']
export type Attachment = Schemas['AttachmentEntry']
export type Note = Schemas['NoteEntry']
export type LessonProgress = Schemas['LessonProgress']

export const lessonsOf = (course: Course) => course.modules.flatMap((module) => module.lessons)
