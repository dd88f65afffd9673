import { ButtonLink } from '@/components/button'
import { PageTitle } from '@/components/page'
import { paths } from '@/lib/paths'
import { PublicPage } from '../public-page'

export function NotFoundPage() {
  return (
    <PublicPage>
      <div className="mx-auto flex w-full max-w-6xl flex-col items-center px-5 py-20 text-center sm:py-28">
        <svg aria-hidden viewBox="0 0 240 150" fill="none" className="w-60">
          <rect x="64" y="8" width="72" height="128" rx="14" className="fill-sunken stroke-line-control" strokeWidth="3" />
          <path d="M88 56l24 24M112 56L88 80" className="stroke-accent" strokeWidth="6" strokeLinecap="round" />
          <path d="M84 112h32" className="stroke-line-control" strokeWidth="5" strokeLinecap="round" />
          <path d="M150 72c26-10 34 26 14 32s-20-22 4-26 44 10 58 30" className="stroke-line-control" strokeWidth="3" strokeDasharray="2 9" strokeLinecap="round" />
        </svg>
        <PageTitle title="Page not found" className="mt-8 text-3xl font-semibold" />
        <p className="mt-3 max-w-md text-lg text-ink-soft">The page may have moved, or the link may contain a typo.</p>
        <div className="mt-8 flex flex-wrap justify-center gap-3">
          <ButtonLink to={paths.landing}>Home</ButtonLink>
          <ButtonLink to={paths.dashboard} variant="secondary">
            Dashboard
          </ButtonLink>
        </div>
      </div>
    </PublicPage>
  )
}
