/** The course as the studio edits it. */
import type { components } from '@/lib/api-schema'

type Schemas = components['schemas']

export type Studio = Schemas['Studio']
export type Content = Schemas['CourseContent']
export type Module = Schemas['ModuleContent']
export type Lesson = Schemas['LessonContent']
export type Version = Schemas['CourseVersion']
