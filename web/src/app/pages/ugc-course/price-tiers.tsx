import { Check } from 'lucide-react'
import { ButtonLink } from '@/components/button'
import { CoursePrice } from '../../course-facts'
import { course, included, priceTiers } from '@/content/marketing'
import { paths } from '@/lib/paths'
import { Band, BandHeading } from '../../public-page'

/** The market's figures beside the one price that is charged here [PUB-04]. */
export function PriceTiers() {
  return (
    <Band id="prices" aria-labelledby="prices-heading" className="border-y border-line bg-surface py-16 lg:py-24">
      <BandHeading id="prices-heading" title="One price, compared with the market">
        Learning piece by piece adds up. These are prices that creators are quoted elsewhere; we do not sell or charge
        any of them.
      </BandHeading>
      <div className="mt-10 grid items-start gap-8 lg:grid-cols-[1.45fr_1fr] lg:gap-12">
        <dl>
          {priceTiers.map(({ title, joined, text }) => (
            <div key={title} className="grid gap-x-6 gap-y-1 border-t border-line py-5 sm:grid-cols-[1fr_1.05fr]">
              <dt>
                <span className="font-semibold">{title}</span>
                <span className="mt-0.5 block text-sm text-ink-faint">{text}</span>
              </dt>
              <dd className="tabular font-semibold text-ink-soft sm:text-end">{joined}</dd>
            </div>
          ))}
        </dl>
        <Offer />
      </div>
    </Band>
  )
}

function Offer() {
  return (
    <article aria-label="The price of this course" className="rounded-xl bg-hero p-6 text-hero-ink sm:p-8 lg:sticky lg:top-24">
      <h3 className="text-lg font-semibold">{course.title}</h3>
      <CoursePrice className="mt-4" />
      <ul className="mt-6 space-y-3">
        {included.map((line) => (
          <li key={line} className="flex gap-2.5">
            <Check aria-hidden className="mt-0.5 size-4.5 shrink-0 text-hero-soft" />
            {line}
          </li>
        ))}
      </ul>
      <ButtonLink to={paths.courses} variant="hero" size="lg" wide className="mt-8">
        Get {course.access.toLowerCase()}
      </ButtonLink>
      <p className="mt-4 text-sm text-hero-soft">Chosen by {course.students}. It teaches a craft; it promises no income.</p>
    </article>
  )
}
