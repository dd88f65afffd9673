import { Check } from 'lucide-react'
import { course, moreModules, namedModules } from '@/content/marketing'
import { cx } from '@/components/cx'

/** "$87" for lifetime access beside the struck-through "$197", on a dark ground. */
export function CoursePrice({ className }: { className?: string }) {
  return (
    <p className={cx('flex flex-wrap items-baseline gap-x-3', className)}>
      <span className="tabular text-4xl font-semibold">{course.price}</span>
      <s className="tabular text-xl text-hero-soft">
        <span className="sr-only">instead of </span>
        {course.listPrice}
      </s>
      <span className="text-hero-soft">{course.access}</span>
    </p>
  )
}

/** The three modules that are named, and how many follow [PUB-03]. */
export function NamedModules({ className }: { className?: string }) {
  return (
    <ul aria-label="Modules" className={className}>
      {[...namedModules, moreModules].map((module) => (
        <li key={module} className="flex gap-2.5">
          <Check aria-hidden className="mt-0.5 size-4.5 shrink-0 text-hero-soft" />
          {module}
        </li>
      ))}
    </ul>
  )
}
