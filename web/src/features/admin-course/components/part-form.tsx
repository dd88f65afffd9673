import { Suspense, lazy, useId, useState } from 'react'
import { Button } from '@/components/button'
import { TextAreaField, TextField } from '@/components/field'
import { Segmented } from '@/components/segmented'
import { Skeleton } from '@/components/skeleton'
import { loadChunk } from '@/lib/load-chunk'
import { ownPicture } from '@/lib/markdown-pictures'
import type { Content, Lesson } from '../api/types'
import { changeLesson, changeLessonOf, changeModule, lessonAt, moduleAt, remove, wholeCourse, type Place } from '../outline'
import { AttachmentsField } from './attachments-field'
import { studioPicture } from './studio-picture'
import { VideoField } from './video-field'

const MarkdownText = lazy(async () => ({ default: (await loadChunk(() => import('@/components/markdown-text'))).MarkdownText }))

type PartFormProps = {
  content: Content
  place: Place
  readOnly: boolean
  /** Ids of lessons that are published: progress is kept by them. */
  published: ReadonlySet<string>
  /** What the server said about parts, by their place. */
  errors: Record<string, string>
  onChange: (content: Content, place: Place) => void
  /** A change that comes when it is ready, such as that of an upload. */
  onUpdate: (update: (content: Content) => Content) => void
}

/** The fields of what is chosen in the outline. */
export function PartForm(props: PartFormProps) {
  const { content, place } = props
  const lesson = lessonAt(content, place)
  if (lesson) return <LessonForm key={`${place.module}.${place.lesson}`} {...props} lesson={lesson} />
  const module = moduleAt(content, place)
  return module && place.module !== null ? <ModuleForm {...props} module={module} at={place.module} /> : <CourseForm {...props} />
}

function CourseForm({ content, place, readOnly, errors, onChange }: PartFormProps) {
  return (
    <div className="space-y-4">
      <TextField label="Title" value={content.title} disabled={readOnly} error={errors.title} onChange={(event) => onChange({ ...content, title: event.target.value }, place)} />
      <TextField label="Subtitle" value={content.subtitle} disabled={readOnly} error={errors.subtitle} onChange={(event) => onChange({ ...content, subtitle: event.target.value }, place)} />
    </div>
  )
}

function ModuleForm({ content, place, readOnly, errors, onChange, module, at }: PartFormProps & { module: Content['modules'][number]; at: number }) {
  const change = (part: Partial<typeof module>) => onChange(changeModule(content, at, part), place)
  const error = (name: string) => errors[`modules.${at}.${name}`]
  return (
    <div className="space-y-4">
      <TextField label="Title of the module" value={module.title} disabled={readOnly} error={error('title')} onChange={(event) => change({ title: event.target.value })} />
      <TextField label="Summary" value={module.summary} disabled={readOnly} error={error('summary') ?? error('lessons')} onChange={(event) => change({ summary: event.target.value })} />
      {!readOnly && module.lessons.length === 0 && <Remove what="module" onRemove={() => onChange(remove(content, place), wholeCourse)} />}
    </div>
  )
}

function LessonForm({ content, place, readOnly, published, errors, onChange, onUpdate, lesson }: PartFormProps & { lesson: Lesson }) {
  const change = (part: Partial<Lesson>) => onChange(changeLesson(content, place, part), place)
  const error = (name: string) => errors[`modules.${place.module}.lessons.${place.lesson}.${name}`]
  const isPublished = published.has(lesson.id)
  return (
    <div className="space-y-4">
      <TextField label="Title of the lesson" value={lesson.title} disabled={readOnly} error={error('title')} onChange={(event) => change({ title: event.target.value })} />
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <TextField
          label="Minutes"
          type="number"
          min={1}
          max={600}
          value={lesson.minutes || ''}
          disabled={readOnly}
          error={error('minutes')}
          onChange={(event) => change({ minutes: Math.trunc(Number(event.target.value)) || 0 })}
        />
        <TextField
          label="Address"
          value={lesson.id}
          disabled={readOnly || isPublished}
          error={error('id')}
          hint={isPublished ? 'Stays as it is: the progress of members belongs to it.' : '/courses/lessons/…, until it is published'}
          onChange={(event) => change({ id: event.target.value })}
        />
      </div>
      <label className="flex min-h-11 items-center gap-3 text-sm font-medium">
        <input
          type="checkbox"
          role="switch"
          checked={lesson.preview}
          disabled={readOnly}
          onChange={(event) => change({ preview: event.target.checked })}
          className="size-4.5 accent-accent"
        />
        Free preview: everybody may read and watch it
      </label>
      <VideoField
        value={lesson.video}
        title={lesson.title}
        readOnly={readOnly}
        error={error('video')}
        onChange={(video) => onUpdate((newest) => changeLessonOf(newest, lesson.id, () => ({ video })))}
      />
      <MarkdownEditor value={lesson.markdown} readOnly={readOnly} error={error('markdown')} onChange={(markdown) => change({ markdown })} />
      <AttachmentsField
        files={lesson.attachments ?? []}
        readOnly={readOnly}
        error={(index) => error(`attachments.${index}`)}
        onShow={({ media, name }) =>
          onUpdate((newest) =>
            // The name of the file is what stands for it until the author writes something better.
            changeLessonOf(newest, lesson.id, ({ markdown }) => ({ markdown: `${markdown.trimEnd()}\n\n${ownPicture(media, name.replace(/\.[a-z]+$/i, ''))}\n` })),
          )
        }
        onChange={(change) => onUpdate((newest) => changeLessonOf(newest, lesson.id, ({ attachments = [] }) => ({ attachments: change(attachments) })))}
      />
      {!readOnly && <Remove what="lesson" onRemove={() => onChange(remove(content, place), { module: place.module, lesson: null })} />}
    </div>
  )
}

type MarkdownEditorProps = { value: string; readOnly: boolean; error?: string; onChange: (value: string) => void }

/** `![words](https://…)` */
const OUTSIDE_PICTURE = /!\[[^\]]*\]\(\s*<?(https?:)?\/\//i

/** The text and, beside it or in its place, what members will read. */
function MarkdownEditor({ value, readOnly, error, onChange }: MarkdownEditorProps) {
  const [shown, setShown] = useState<'text' | 'preview'>('text')
  const heading = useId()
  return (
    <div>
      <div className="mb-3 xl:hidden">
        <Segmented legend="Text or preview" value={shown} onChange={setShown} options={[{ value: 'text', label: 'Markdown' }, { value: 'preview', label: 'Preview' }]} />
      </div>
      <div className="grid grid-cols-1 gap-5 xl:grid-cols-2">
        <div className={shown === 'text' ? '' : 'hidden xl:block'}>
          <TextAreaField
            label="Text in Markdown"
            rows={24}
            spellCheck
            value={value}
            disabled={readOnly}
            error={error}
            hint={OUTSIDE_PICTURE.test(value) && 'A picture of another site is shown as a link: members load nothing from elsewhere.'}
            onChange={(event) => onChange(event.target.value)}
            className="font-mono text-sm leading-6"
          />
        </div>
        <div className={shown === 'preview' ? '' : 'hidden xl:block'}>
          <h3 id={heading} className="mb-1.5 text-sm font-medium">
            What members read
          </h3>
          <div tabIndex={0} role="region" aria-labelledby={heading} className="max-h-160 overflow-y-auto rounded-md border border-line bg-surface px-5 py-2">
            <Suspense fallback={<Skeleton className="my-4 h-40" />}>
              <MarkdownText markdown={value} picture={studioPicture} />
            </Suspense>
          </div>
        </div>
      </div>
    </div>
  )
}

function Remove({ what, onRemove }: { what: string; onRemove: () => void }) {
  const [asked, setAsked] = useState(false)
  if (!asked) {
    return (
      <Button variant="danger" size="sm" onClick={() => setAsked(true)}>
        Remove this {what}
      </Button>
    )
  }
  return (
    <div className="flex flex-wrap items-center gap-3">
      <p className="text-sm text-ink-soft">Members keep seeing it until you publish.</p>
      <Button variant="danger" size="sm" onClick={onRemove}>
        Remove
      </Button>
      <Button variant="ghost" size="sm" onClick={() => setAsked(false)}>
        Keep
      </Button>
    </div>
  )
}
