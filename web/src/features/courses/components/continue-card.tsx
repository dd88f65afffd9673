import { ArrowRight, GraduationCap } from 'lucide-react'
import { Link } from 'react-router'
import { Skeleton } from '@/components/skeleton'
import { formatClock } from '@/lib/durations'
import { paths } from '@/lib/paths'
import { useCourse } from '../api/get-course'
import { progressOf } from '../progress'

/** The way back into the course, on any device [D-C6]. */
export function ContinueCard() {
  const { data: course, isPending } = useCourse()
  if (isPending) return <Skeleton className="h-21 rounded-xl" />
  if (!course?.purchased) return null
  const { done, total, next } = progressOf(course)
  const isComplete = done === total
  const at = isComplete ? 0 : (next?.progress?.position ?? 0)
  return (
    <Link
      to={isComplete || !next ? paths.courses : paths.lesson(next.id)}
      className="group flex min-h-21 items-center gap-4 rounded-xl border border-line bg-surface p-5 shadow-card transition-colors hover:border-line-control"
    >
      <span className="grid size-11 shrink-0 place-items-center rounded-full bg-accent-soft text-accent-text">
        <GraduationCap aria-hidden className="size-5" />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block font-semibold">{isComplete ? 'Course completed' : done === 0 && !next?.progress ? 'Start the course' : 'Continue the course'}</span>
        <span className="block truncate text-sm text-ink-soft">{isComplete ? course.title : next?.title}{at > 0 && `, at ${formatClock(at)}`}</span>
      </span>
      <span className="tabular shrink-0 text-sm text-ink-faint">
        {done} of {total} <span className="sr-only sm:not-sr-only">lessons done</span>
      </span>
      <ArrowRight aria-hidden className="size-4.5 text-ink-faint transition-transform group-hover:translate-x-0.5" />
    </Link>
  )
}
