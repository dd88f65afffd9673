/** The course as the studio edits it. */
import type { Captions, Strip } from '@/components/player/video'
import type { components } from '@/lib/api-schema'

type Schemas = components['schemas']

export type Studio = Omit<Schemas['Studio'], 'content'> & { content: Content }
export type Content = Omit<Schemas['CourseContent'], 'modules'> & { modules: Module[] }
export type Module = Omit<Schemas['ModuleContent'], 'lessons'> & { lessons: Lesson[] }
export type Lesson = Schemas['LessonContent'] & { video?: string; attachments?: LessonFile[] }
export type Version = Schemas['CourseVersion']

/** A file of a lesson, under the name that members see. */
export type LessonFile = { media: string; name: string }

export type MediaKind = 'video' | 'attachment'

export type Media = {
  id: string
  kind: MediaKind
  name: string
  size: number
  state: 'uploading' | 'queued' | 'processing' | 'ready' | 'failed'
  offset: number
  progress: number
  reason?: string
  type?: string
  duration?: number
  width?: number
  height?: number
  poster?: string
  hls?: string
  url?: string
  preview?: Strip
  captions: Captions[]
  createdAt: string
}
