import { PageTitle } from '@/components/page'
import { brand } from '@/content/brand'
import type { Clause, LegalText } from '@/content/legal'
import { PublicPage } from './public-page'

/** A legal text with its contents beside it. */
export function LegalPage({ text: { title, summary, clauses } }: { text: LegalText }) {
  return (
    <PublicPage>
      <div className="mx-auto w-full max-w-6xl px-5 pt-12 pb-20 sm:px-8 lg:pt-16">
        <header className="max-w-2xl">
          <PageTitle title={title} className="text-3xl font-semibold sm:text-4xl" />
          <p className="mt-4 text-lg text-pretty text-ink-soft">{summary}</p>
          <p className="mt-4 text-sm text-ink-faint">Last updated {brand.termsDate}</p>
        </header>
        <div className="mt-10 grid gap-10 border-t border-line pt-10 lg:grid-cols-[15rem_minmax(0,1fr)] lg:gap-16">
          <Contents clauses={clauses} />
          <div className="max-w-2xl space-y-10">
            {clauses.map((clause, index) => (
              <ClauseText key={clause.id} clause={clause} number={index + 1} />
            ))}
          </div>
        </div>
      </div>
    </PublicPage>
  )
}

function Contents({ clauses }: { clauses: readonly Clause[] }) {
  return (
    <nav aria-label="Contents" className="self-start lg:sticky lg:top-24">
      <ol className="text-sm">
        {clauses.map(({ id, title }, index) => (
          <li key={id}>
            <a href={`#${id}`} className="flex min-h-9 items-center gap-3 text-ink-soft hover:text-ink pointer-coarse:min-h-11">
              <span className="tabular w-5 text-ink-faint">{index + 1}</span>
              {title}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}

function ClauseText({ clause: { id, title, passages }, number }: { clause: Clause; number: number }) {
  return (
    <section id={id} aria-labelledby={`${id}-heading`} className="scroll-mt-24">
      <h2 id={`${id}-heading`} className="text-xl font-semibold">
        <span className="tabular me-2 text-ink-faint">{number}</span>
        {title}
      </h2>
      <div className="mt-3 space-y-4 text-base leading-7 text-ink-soft">
        {passages.map((passage, index) =>
          typeof passage === 'string' ? (
            <p key={index}>{passage}</p>
          ) : (
            <ul key={index} className="list-disc space-y-2 ps-5 marker:text-ink-faint">
              {passage.map((point) => (
                <li key={point}>{point}</li>
              ))}
            </ul>
          ),
        )}
      </div>
    </section>
  )
}
