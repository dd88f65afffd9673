import { ButtonLink } from '@/components/button'
import { PageTitle } from '@/components/page'
// The picture of the first screen comes in the page itself.
import studioArt from '@/content/artwork/studio.svg?inline'
import { course } from '@/content/marketing'
import { paths } from '@/lib/paths'

/** The introduction, with the buttons for registration and login. */
export function Hero() {
  return (
    <section className="mx-auto grid w-full max-w-6xl items-center gap-10 px-5 pt-10 pb-16 sm:px-8 lg:grid-cols-[1.05fr_1fr] lg:gap-14 lg:pt-16 lg:pb-24">
      <div>
        <p className="text-sm font-semibold text-accent-text">A course for UGC creators, and a wallet for what they earn</p>
        <PageTitle title="Film it. Get paid. See every cent." className="mt-4 text-4xl font-semibold sm:text-5xl">
          Film it.
          <br />
          Get paid.
          <br />
          See every cent.
        </PageTitle>
        <p className="mt-6 max-w-lg text-lg text-pretty text-ink-soft">
          Learn to make the short videos that brands order from people like you. Keep your dollars in a wallet that shows each fee
          before you confirm.
        </p>
        <div className="mt-8 flex flex-wrap gap-3">
          <ButtonLink to={paths.register} size="lg">
            Sign up
          </ButtonLink>
          <ButtonLink to={paths.login} size="lg" variant="secondary">
            Log in
          </ButtonLink>
        </div>
        <p className="mt-6 text-sm text-ink-faint">
          An account is free. The course is {course.price}, once.
        </p>
      </div>
      <img
        src={studioArt}
        alt="Illustration: a creator at a table by a window holds a bottle while a phone on a tripod records her."
        width="900"
        height="960"
        className="w-full rounded-xl object-cover max-lg:aspect-[5/4] max-lg:object-[50%_70%]"
      />
    </section>
  )
}
