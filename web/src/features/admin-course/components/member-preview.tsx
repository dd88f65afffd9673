import { Suspense, lazy, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Notice } from '@/components/notice'
import { Skeleton } from '@/components/skeleton'
import { loadChunk } from '@/lib/load-chunk'
import { showsPicture } from '@/lib/markdown-pictures'
import { useMediaFile } from '../api/media'
import type { Content, LessonFile } from '../api/types'
import { lessonAt, moduleAt, type Place } from '../outline'
import { studioPicture } from './studio-picture'

const StudioPlayer = lazy(async () => ({ default: (await loadChunk(() => import('./studio-player'))).StudioPlayer }))
const MarkdownText = lazy(async () => ({ default: (await loadChunk(() => import('@/components/markdown-text'))).MarkdownText }))

/** The draft as a member who has bought the course reads it. */
export function MemberPreview({ content }: { content: Content }) {
  const [place, setPlace] = useState<Place>({ module: null, lesson: null })
  const lesson = lessonAt(content, place)
  if (!lesson) return <Outline content={content} onOpen={setPlace} />
  const downloads = (lesson.attachments ?? []).filter(({ media }) => !showsPicture(lesson.markdown, media))
  return (
    <Card className="px-5 py-6">
      <article className="mx-auto max-w-2xl">
        <Button variant="ghost" size="sm" onClick={() => setPlace({ module: null, lesson: null })}>
          All lessons
        </Button>
        <p className="mt-3 text-sm font-semibold text-accent-text">
          Module {(place.module ?? 0) + 1}: {moduleAt(content, place)?.title}
        </p>
        <h2 className="mt-2 text-2xl font-semibold sm:text-3xl">{lesson.title}</h2>
        {lesson.video ? (
          <div className="mt-5 mb-8">
            <PreviewVideo key={lesson.video} id={lesson.video} title={lesson.title} />
          </div>
        ) : (
          <p className="mt-3 mb-8 border-b border-line pb-6 text-sm text-ink-faint">{lesson.minutes} minutes to read</p>
        )}
        <Suspense fallback={<Skeleton className="h-60" />}>
          <MarkdownText markdown={lesson.markdown} picture={studioPicture} />
        </Suspense>
        {downloads.length > 0 && <PreviewFiles files={downloads} />}
      </article>
    </Card>
  )
}

function PreviewVideo({ id, title }: { id: string; title: string }) {
  const { data: media, error } = useMediaFile(id)
  if (media?.state === 'ready') {
    return (
      <Suspense fallback={<Skeleton className="aspect-video" />}>
        <StudioPlayer media={media} title={title} />
      </Suspense>
    )
  }
  if (!media && !error) return <Skeleton className="aspect-video" />
  return <Notice tone="caution" title="The video is not ready yet">Members do not see this lesson until the video is ready and you publish.</Notice>
}

function PreviewFiles({ files }: { files: readonly LessonFile[] }) {
  return (
    <section aria-label="Downloads" className="mt-10">
      <h3 className="mb-3 text-lg font-semibold">Downloads</h3>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {files.map(({ media, name }) => (
          <li key={media} className="flex min-h-14 items-center px-4 py-2 font-medium wrap-anywhere">
            {name}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Outline({ content, onOpen }: { content: Content; onOpen: (place: Place) => void }) {
  return (
    <section aria-label="Preview as a member" className="space-y-3">
      <h2 className="text-xl font-semibold">{content.title}</h2>
      <p className="text-ink-soft">{content.subtitle}</p>
      <ol className="space-y-3">
        {content.modules.map(({ title, summary, lessons }, module) => (
          <li key={module} className="rounded-xl border border-line bg-surface p-5 shadow-card">
            <h3 className="font-semibold">
              {module + 1}. {title}
            </h3>
            <p className="mt-1 text-sm text-ink-soft">{summary}</p>
            <ul className="mt-2">
              {lessons.map(({ id, title: name, minutes, preview }, lesson) => (
                <li key={id}>
                  <button
                    type="button"
                    onClick={() => onOpen({ module, lesson })}
                    className="flex min-h-11 w-full items-center gap-3 rounded-md px-2 text-start font-medium hover:bg-sunken"
                  >
                    <span className="min-w-0 flex-1">{name}</span>
                    {preview && <Badge tone="accent">Free preview</Badge>}
                    <span className="shrink-0 text-sm text-ink-faint">{minutes} min</span>
                  </button>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </section>
  )
}
