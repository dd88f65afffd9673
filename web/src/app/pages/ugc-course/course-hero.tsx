import { ButtonLink } from '@/components/button'
import { CoursePrice } from '../../course-facts'
import { PageTitle } from '@/components/page'
// The picture of the first screen comes in the page itself.
import studioArt from '@/content/artwork/studio.svg?inline'
import { course } from '@/content/marketing'
import { paths } from '@/lib/paths'

export function CourseHero() {
  return (
    <section className="overflow-hidden bg-hero text-hero-ink">
      <div className="mx-auto grid w-full max-w-6xl items-end gap-10 px-5 pt-12 sm:px-8 lg:grid-cols-[1.2fr_1fr] lg:gap-14 lg:pt-20">
        <div className="lg:self-center lg:pb-20">
          <p className="text-sm font-semibold text-hero-soft">
            {course.title}, with {course.students}
          </p>
          <PageTitle title="Brands buy the video, not your followers" className="mt-4 text-4xl font-semibold sm:text-5xl" />
          <p className="mt-6 max-w-xl text-lg text-pretty text-hero-soft">
            {course.subtitle} Seven modules on filming, cutting, offering and licensing short product videos, each ending with a task you finish the same day.
          </p>
          <CoursePrice className="mt-8" />
          <div className="mt-6 flex flex-wrap gap-3">
            <ButtonLink to={paths.courses} variant="hero" size="lg">
              Go to the course
            </ButtonLink>
            <a
              href="#modules"
              className="inline-flex min-h-12.5 items-center justify-center rounded-md bg-hero-raised px-6 font-semibold hover:brightness-110"
            >
              What is inside
            </a>
          </div>
          <p className="mt-5 text-sm text-hero-soft">One payment. The first lesson is free with an account.</p>
        </div>
        <img
          src={studioArt}
          alt="Illustration: a creator at a table by a window holds a bottle while a phone on a tripod records her."
          width="900"
          height="960"
          className="aspect-[5/4] w-full rounded-t-xl object-cover object-[50%_75%] lg:aspect-[9/9.6]"
        />
      </div>
    </section>
  )
}
