import { BookOpen, Check, CirclePlay, Lock } from 'lucide-react'
import { Link } from 'react-router'
import { Badge } from '@/components/badge'
import { cx } from '@/components/cx'
import { formatClock } from '@/lib/durations'
import { paths } from '@/lib/paths'
import type { Course, LessonEntry, Module } from '../api/course'

/** All modules with their lessons: open, free to preview, or locked. */
export function Curriculum({ course }: { course: Course }) {
  return (
    <section id="curriculum" tabIndex={-1} aria-labelledby="curriculum-heading" className="scroll-mt-20 outline-none">
      <h2 id="curriculum-heading" className="text-lg font-semibold">
        Curriculum
      </h2>
      <ol className="mt-4 space-y-3">
        {course.modules.map((module) => (
          <ModuleRow key={module.number} module={module} purchased={course.purchased} />
        ))}
      </ol>
    </section>
  )
}

type ModuleRowProps = { module: Module; purchased: boolean }

function ModuleRow({ module: { number, title, summary, lessons }, purchased }: ModuleRowProps) {
  return (
    <li className="rounded-xl border border-line bg-surface p-5 shadow-card sm:p-6">
      <div className="flex gap-4">
        <span aria-hidden className="tabular grid size-9 shrink-0 place-items-center rounded-full bg-sunken text-sm font-semibold text-ink-soft">
          {number}
        </span>
        <div className="min-w-0 flex-1">
          <h3 className="pt-1.5 font-semibold">
            <span className="sr-only">{`Module ${number}: `}</span>
            {title}
          </h3>
          <p className="mt-1 text-sm text-ink-soft">{summary}</p>
          <ul className="mt-3 -mb-1">
            {lessons.map((lesson) => (
              <LessonRow key={lesson.id} lesson={lesson} isFree={lesson.preview && !purchased} />
            ))}
          </ul>
        </div>
      </div>
    </li>
  )
}

type LessonRowProps = { lesson: LessonEntry; isFree: boolean }

function LessonRow({ lesson: { id, title, minutes, locked, progress, video }, isFree }: LessonRowProps) {
  const isDone = progress?.done ?? false
  const stoppedAt = isDone || locked ? 0 : (progress?.position ?? 0)
  const Icon = locked ? Lock : isDone ? Check : video ? CirclePlay : BookOpen
  const content = (
    <>
      <Icon aria-hidden className={cx('size-4.5 shrink-0', isDone && !locked ? 'text-positive' : locked ? 'text-ink-faint' : 'text-accent-text')} />
      <span className={cx('min-w-0 flex-1', locked ? 'text-ink-soft' : 'font-medium')}>
        {title}
        <span className="sr-only">{locked ? ', locked' : isDone ? ', done' : ''}</span>
        {stoppedAt > 0 && <span className="block text-sm font-normal text-ink-faint">Stopped at {formatClock(stoppedAt)}</span>}
        {isFree && (
          <span className="flex sm:ms-2 sm:inline-flex sm:align-middle">
            <Badge tone="accent">Free preview</Badge>
          </span>
        )}
      </span>
      <span className="shrink-0 text-sm text-ink-faint">{minutes} min</span>
    </>
  )
  const look = 'flex min-h-11 items-center gap-3 rounded-md py-2'
  return (
    <li>
      {locked ? (
        <div className={look}>{content}</div>
      ) : (
        <Link to={paths.lesson(id)} className={cx(look, '-mx-2 px-2 hover:bg-sunken')}>
          {content}
        </Link>
      )}
    </li>
  )
}
