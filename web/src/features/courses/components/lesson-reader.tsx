import { ArrowLeft, ArrowRight, Check } from 'lucide-react'
import { Suspense, lazy, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { Button, ButtonLink } from '@/components/button'
import { PageTitle } from '@/components/page'
import { LibraryPicture } from '@/components/library-picture'
import { Skeleton } from '@/components/skeleton'
import { loadChunk } from '@/lib/load-chunk'
import { showsPicture } from '@/lib/markdown-pictures'
import { paths } from '@/lib/paths'
import { lessonsOf, type Course, type Lesson, type LessonEntry } from '../api/course'
import { usePutProgress } from '../api/put-progress'
import { LessonFiles } from './lesson-files'
import { VideoPoster } from './video-poster'

const VideoLesson = lazy(async () => ({ default: (await loadChunk(() => import('./video-lesson'))).VideoLesson }))
const MarkdownText = lazy(async () => ({ default: (await loadChunk(() => import('@/components/markdown-text'))).MarkdownText }))

type LessonReaderProps = { lesson: Lesson; course: Course | undefined }

/** A lesson to watch and to read, to tick off, and the way to the next one. */
export function LessonReader({ lesson, course }: LessonReaderProps) {
  useBeginning(lesson)
  const { video, attachments = [] } = lesson
  const next = nextOf(lesson, course)
  return (
    <article className={video ? '' : 'mx-auto max-w-2xl'}>
      <Link
        to={paths.courses}
        className="-ms-2 mb-3 inline-flex min-h-11 items-center gap-1.5 rounded-md px-2 text-sm font-medium text-ink-soft hover:text-ink"
      >
        <ArrowLeft aria-hidden className="size-4" />
        All lessons
      </Link>
      <p className="text-sm font-semibold text-accent-text">
        Module {lesson.moduleNumber}: {lesson.moduleTitle}
      </p>
      <PageTitle title={lesson.title} className="mt-2 text-2xl font-semibold sm:text-3xl" />
      {video ? (
        <div className="mt-5 mb-8">
          <Suspense fallback={<VideoPoster video={video} />}>
            <VideoLesson lesson={lesson} video={video} next={next} />
          </Suspense>
        </div>
      ) : (
        <p className="mt-3 mb-8 border-b border-line pb-6 text-sm text-ink-faint">{lesson.minutes} minutes to read</p>
      )}
      <div className="max-w-2xl">
        <Suspense fallback={<TextSkeleton />}>
          <MarkdownText
            markdown={lesson.markdown}
            picture={(id, alt) => {
              const file = attachments.find(({ media }) => media === id)
              return file && <LibraryPicture src={file.url} alt={alt} />
            }}
          />
        </Suspense>
        {/* What the text shows is not offered again. */}
        <LessonFiles files={attachments.filter(({ media }) => !showsPicture(lesson.markdown, media))} />
        <LessonEnd lesson={lesson} next={next} />
      </div>
    </article>
  )
}

/** Opening a lesson makes it the one to continue with, on every device [D-C6]. */
function useBeginning({ id, progress }: Lesson) {
  const { mutate } = usePutProgress(id)
  const hasBegun = useRef(false)
  useEffect(() => {
    if (hasBegun.current || progress?.done) return
    hasBegun.current = true
    mutate({ position: progress?.position ?? 0 })
  }, [progress, mutate])
}

/** `undefined` after the last one, and while the course is not there yet. */
function nextOf(lesson: Lesson, course: Course | undefined) {
  const lessons = course ? lessonsOf(course) : []
  return lessons[lessons.findIndex(({ id }) => id === lesson.id) + 1]
}

function LessonEnd({ lesson, next }: { lesson: Lesson; next: LessonEntry | undefined }) {
  const { mutate } = usePutProgress(lesson.id)
  const isDone = lesson.progress?.done ?? false
  return (
    <footer className="mt-12 flex flex-wrap items-center justify-between gap-4 border-t border-line pt-6">
      <Button
        variant="secondary"
        aria-pressed={isDone}
        onClick={() => mutate({ position: lesson.progress?.position ?? 0, done: !isDone })}
        icon={<Check aria-hidden className={isDone ? 'size-4.5 text-positive' : 'size-4.5 text-ink-faint'} />}
      >
        {isDone ? 'Done' : 'Mark as done'}
      </Button>
      {next && !next.locked && (
        <ButtonLink to={paths.lesson(next.id)} className="max-w-full">
          Next lesson
          <ArrowRight aria-hidden className="size-4" />
        </ButtonLink>
      )}
      {next?.locked && <ButtonLink to={paths.courses}>Open the other lessons</ButtonLink>}
    </footer>
  )
}

export function TextSkeleton() {
  return (
    <div role="status" className="space-y-3">
      <span className="sr-only">Loading the lesson</span>
      {['w-full', 'w-11/12', 'w-full', 'w-10/12', 'w-full', 'w-2/3'].map((width, index) => (
        <Skeleton key={index} className={`h-5 ${width}`} />
      ))}
    </div>
  )
}
