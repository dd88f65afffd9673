/** The course as `GET /courses` tells it: the outline, and what this member may read of it. */
import type { Video } from '@/components/player/video'
import type { components } from '@/lib/api-schema'

type Schemas = components['schemas']

export type LessonEntry = Schemas['LessonEntry'] & { video?: boolean; duration?: number }
export type Module = Omit<Schemas['ModuleEntry'], 'lessons'> & { lessons: LessonEntry[] }
export type Course = Omit<Schemas['CourseEntry'], 'modules'> & { modules: Module[] }

export type Lesson = Schemas['LessonText'] & { video?: Video; attachments?: Attachment[] }
export type Attachment = { name: string; size: number; type: string; url: string }
export type Note = { id: string; position: number; text: string; createdAt: string; updatedAt: string }
export type LessonProgress = Schemas['LessonProgress']

export const lessonsOf = (course: Course) => course.modules.flatMap((module) => module.lessons)
