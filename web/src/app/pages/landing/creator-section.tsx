import { ArrowRight, BookOpenCheck, CalendarClock, Images, type LucideIcon } from 'lucide-react'
import { Link } from 'react-router'
import { CoursePrice, NamedModules } from '../../course-facts'
import { course, creator, links } from '@/content/marketing'
import { paths } from '@/lib/paths'
import { Band, BandHeading } from '../../public-page'

const panel = 'rounded-xl border border-line bg-surface shadow-card'

/** The creator's profile, the course and the free things beside it [PUB-01]. */
export function CreatorSection() {
  return (
    <Band aria-labelledby="creator" className="pb-16 lg:pb-24">
      <BandHeading id="creator" title="Who teaches the course" />
      <div className="mt-8 grid gap-4 lg:grid-cols-[1fr_1.35fr]">
        <Profile />
        <CourseCard />
        <div className="grid gap-4 sm:grid-cols-3 lg:col-span-2">
          <Offer icon={BookOpenCheck} {...links.checklist} />
          <Offer icon={CalendarClock} {...links.training} />
          <Offer icon={Images} {...links.portfolio} />
        </div>
      </div>
    </Band>
  )
}

function Profile() {
  return (
    <article aria-label="Creator profile" className={`${panel} flex flex-col p-6 sm:p-7`}>
      <div className="flex items-center gap-4">
        <img src={creator.portrait} alt="" width="240" height="240" loading="lazy" className="size-20 rounded-full" />
        <div className="min-w-0">
          <h3 className="text-xl font-semibold">{creator.name}</h3>
          <p className="text-ink-faint">{creator.handle}</p>
        </div>
      </div>
      <p className="mt-5 font-medium">{creator.role}</p>
      <p className="mt-2 text-pretty text-ink-soft">{creator.bio}</p>
      <ul aria-label="Formats" className="mt-auto flex flex-wrap gap-2 pt-6">
        {creator.formats.map((format) => (
          <li key={format} className="rounded-full bg-sunken px-3 py-1 text-sm font-medium text-ink-soft">
            {format}
          </li>
        ))}
      </ul>
    </article>
  )
}

function CourseCard() {
  return (
    <article aria-label="Course" className="relative grid overflow-hidden rounded-xl bg-hero text-hero-ink sm:grid-cols-[1.3fr_1fr]">
      <div className="flex flex-col p-6 sm:p-7">
        <p className="text-sm font-medium text-hero-soft first-letter:uppercase">{course.students}</p>
        <h3 className="mt-1.5 text-2xl font-semibold">{course.title}</h3>
        <CoursePrice className="mt-4" />
        <NamedModules className="mt-5 mb-7 space-y-2" />
        <Link
          to={paths.ugcCourse}
          className="mt-auto inline-flex min-h-12.5 items-center justify-center gap-2 rounded-md bg-hero-ink px-6 font-semibold text-hero transition-colors hover:bg-hero-soft"
        >
          See the course
          <ArrowRight aria-hidden className="size-4.5" />
        </Link>
      </div>
      <img
        src={course.cover}
        alt=""
        width="480"
        height="600"
        loading="lazy"
        className="h-44 w-full object-cover object-[50%_22%] sm:h-full sm:object-top"
      />
    </article>
  )
}

type OfferProps = { icon: LucideIcon; title: string; text: string; action: string; href: string; download: boolean }

/** A link to something free; pages of this site open without a reload. */
function Offer({ icon: Icon, title, text, action, href, download }: OfferProps) {
  const content = (
    <>
      <span className="grid size-11 place-items-center rounded-full bg-accent-soft text-accent-text">
        <Icon aria-hidden className="size-5" />
      </span>
      <span className="mt-4 block font-semibold">{title}</span>
      <span className="mt-1 block text-sm text-ink-soft">{text}</span>
      <span className="mt-auto inline-flex items-center gap-1.5 pt-4 text-sm font-semibold text-accent-text">
        {action}
        <ArrowRight aria-hidden className="size-4 transition-transform group-hover:translate-x-0.5" />
      </span>
    </>
  )
  const look = `${panel} group flex flex-col p-6 transition-colors hover:border-line-control`
  if (href.startsWith('/') && !download) {
    return (
      <Link to={href} className={look}>
        {content}
      </Link>
    )
  }
  return (
    <a href={href} download={download || undefined} className={look}>
      {content}
    </a>
  )
}
