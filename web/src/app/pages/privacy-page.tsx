import { ButtonLink } from '@/components/button'
import { PageTitle } from '@/components/page'
import { paths } from '@/lib/paths'

export function PrivacyPage() {
  return (
    <main className="mx-auto max-w-3xl px-6 py-24">
      <PageTitle title="Privacy Policy" className="text-3xl font-semibold" />
      <p className="mt-3 text-lg text-ink-soft">What we store, and why.</p>
      <div className="mt-8">
        <ButtonLink to={paths.landing} variant="secondary">
          Home
        </ButtonLink>
      </div>
    </main>
  )
}
