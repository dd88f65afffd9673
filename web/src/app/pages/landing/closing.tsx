import { ButtonLink } from '@/components/button'
import { paths } from '@/lib/paths'
import { Band } from '../../public-page'

export function Closing() {
  return (
    <Band className="pb-16 lg:pb-24">
      <div className="relative overflow-hidden rounded-xl bg-hero px-6 py-12 text-hero-ink sm:px-12 sm:py-16">
        <svg aria-hidden viewBox="0 0 400 400" fill="none" className="absolute -inset-e-24 -bottom-40 w-110 text-hero-raised">
          {[190, 150, 110, 70].map((radius) => (
            <circle key={radius} cx="200" cy="200" r={radius} stroke="currentColor" strokeWidth="1.5" />
          ))}
        </svg>
        <h2 className="relative max-w-xl text-2xl font-semibold sm:text-3xl">Read the first lesson before you decide anything.</h2>
        <p className="relative mt-3 max-w-lg text-hero-soft sm:text-lg">It is complete, it is free with an account, and it ends with three clips of your own.</p>
        <div className="relative mt-8 flex flex-wrap gap-3">
          <ButtonLink to={paths.register} variant="hero" size="lg">
            Create a free account
          </ButtonLink>
          <ButtonLink to={paths.ugcCourse} variant="hero-quiet" size="lg">
            See the course
          </ButtonLink>
        </div>
      </div>
    </Band>
  )
}
