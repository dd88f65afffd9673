import { ButtonLink } from '@/components/button'
import { PageTitle } from '@/components/page'
import { paths } from '@/lib/paths'

export function LandingPage() {
  return (
    <main className="mx-auto max-w-3xl px-6 py-24">
      <PageTitle title="Solvane" className="text-3xl font-semibold" />
      <p className="mt-3 text-lg text-ink-soft">A dollar wallet, investment plans and a course on UGC video.</p>
      <div className="mt-8 flex flex-wrap gap-3">
        <ButtonLink to={paths.register}>Create an account</ButtonLink>
        <ButtonLink to={paths.login} variant="secondary">
          Log in
        </ButtonLink>
      </div>
    </main>
  )
}
