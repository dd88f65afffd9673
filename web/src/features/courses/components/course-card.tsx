import { ArrowRight, Clock } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Badge } from '@/components/badge'
import { ButtonLink, buttonClass } from '@/components/button'
import { Progress } from '@/components/progress'
import { Skeleton } from '@/components/skeleton'
import { course as facts } from '@/content/marketing'
import { formatClock } from '@/lib/durations'
import { formatBrief, percentOf } from '@/lib/money'
import { paths } from '@/lib/paths'
import { useTerms } from '@/lib/terms'
import type { Course, LessonEntry } from '../api/course'
import { progressOf } from '../progress'
import { BuyFromBalance } from './buy-from-balance'

type CourseCardProps = { course: Course; balance: number | null }

/** The one course there is, as it stands for this member [CRS-01]. */
export function CourseCard({ course, balance }: CourseCardProps) {
  return (
    <article aria-label={course.title} className="grid grid-cols-1 overflow-hidden rounded-xl border border-line bg-surface shadow-card md:grid-cols-[1fr_15rem]">
      <img
        src={facts.cover}
        alt=""
        width="480"
        height="600"
        className="h-40 w-full object-cover object-[50%_22%] md:order-last md:h-full md:object-top"
      />
      <div className="p-6 sm:p-8">
        <p className="text-sm font-medium text-ink-faint first-letter:uppercase">{facts.students}</p>
        <h2 className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xl font-semibold">
          {course.title}
          {course.purchased ? <Badge tone="positive">Purchased</Badge> : course.pending && <Badge tone="caution">In review</Badge>}
        </h2>
        <p className="mt-2 max-w-xl text-ink-soft">{course.subtitle}</p>
        {course.purchased ? (
          <Reading course={course} />
        ) : course.pending ? (
          <InReview />
        ) : (
          <Offer balance={balance} />
        )}
      </div>
    </article>
  )
}

function Offer({ balance }: { balance: number | null }) {
  const { data: terms, isError } = useTerms()
  const price = terms?.course.price
  if (price === undefined) return isError ? <NoPrice /> : <Skeleton className="mt-5 h-28 max-w-md" />
  return (
    <>
      <p className="mt-5 flex flex-wrap items-baseline gap-x-2.5">
        <span className="tabular text-3xl font-semibold">{formatBrief(price)}</span>
        <s className="tabular text-lg text-ink-faint">
          <span className="sr-only">instead of </span>
          {facts.listPrice}
        </s>
      </p>
      <Actions>
        <ButtonLink to={paths.buyCourse(price)}>{formatBrief(price)} Lifetime access</ButtonLink>
        <BuyFromBalance balance={balance} price={price} />
        <LearnMore />
      </Actions>
    </>
  )
}

function NoPrice() {
  return (
    <>
      <p className="mt-5 text-ink-soft">The price cannot be shown right now. Please try again in a moment.</p>
      <Actions>
        <LearnMore />
      </Actions>
    </>
  )
}

/** Leads to this page, where the curriculum says more. */
function LearnMore() {
  return (
    <Link
      to={paths.courses}
      onClick={(event) => {
        const curriculum = document.getElementById('curriculum')
        if (!curriculum) return
        event.preventDefault()
        curriculum.scrollIntoView({ block: 'start' })
        curriculum.focus({ preventScroll: true })
      }}
      className={buttonClass({ variant: 'ghost' })}
    >
      Learn more
    </Link>
  )
}

function InReview() {
  return (
    <>
      <p className="mt-5 flex max-w-xl gap-2.5 rounded-lg bg-caution-soft p-4 text-sm text-ink-soft">
        <Clock aria-hidden className="mt-0.5 size-4.5 shrink-0 text-caution" />
        We are reviewing your payment. All modules open as soon as it is confirmed, and you will get an email.
      </p>
      <Actions>
        <ButtonLink to={paths.transactions} variant="secondary">
          View the payment
        </ButtonLink>
        <LearnMore />
      </Actions>
    </>
  )
}

function Reading({ course }: { course: Course }) {
  const { done, total, next } = progressOf(course)
  return (
    <>
      <div className="mt-6 max-w-md">
        <p className="mb-2 text-sm text-ink-soft">
          {done} of {total} lessons done
        </p>
        <Progress percent={percentOf(done, total)} label="Lessons done" tone="positive" />
      </div>
      <Actions>
        {next && (
          <ButtonLink to={paths.lesson(next.id)}>
            {done === total ? 'Start again' : done === 0 && !next.progress ? 'Start the course' : `Continue${atPosition(next)}`}
            <ArrowRight aria-hidden className="size-4" />
          </ButtonLink>
        )}
        <LearnMore />
      </Actions>
    </>
  )
}

/** Where the video goes on, if it was begun. */
const atPosition = ({ progress }: LessonEntry) => (progress?.position ? ` at ${formatClock(progress.position)}` : '')

const Actions = ({ children }: { children: ReactNode }) => <div className="mt-6 flex flex-wrap items-start gap-3">{children}</div>
