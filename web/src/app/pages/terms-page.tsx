import { ButtonLink } from '@/components/button'
import { PageTitle } from '@/components/page'
import { paths } from '@/lib/paths'

export function TermsPage() {
  return (
    <main className="mx-auto max-w-3xl px-6 py-24">
      <PageTitle title="Terms of Service" className="text-3xl font-semibold" />
      <p className="mt-3 text-lg text-ink-soft">The rules of using Solvane.</p>
      <div className="mt-8">
        <ButtonLink to={paths.landing} variant="secondary">
          Home
        </ButtonLink>
      </div>
    </main>
  )
}
