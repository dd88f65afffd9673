/** The course as the studio edits it. */
import type { components } from '@/lib/api-schema'

type Schemas = components['schemas']

export type Studio = Schemas['Studio']
export type Content = Schemas['CourseContent']
export type Module = Schemas['ModuleContent']
export type Lesson = Schemas['LessonContent']
/** A file of a lesson, under the name that members see. */
export type LessonFile = Schemas['LessonAttachment']
export type Version = Schemas['CourseVersion']
export type MediaKind = Schemas['MediaKind']
export type Media = Schemas['MediaEntry']
