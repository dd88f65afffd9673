import { ChevronDown, Search, SearchX } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { Card } from '@/components/card'
import { TextField } from '@/components/field'
import { PageTitle } from '@/components/page'
import { Skeleton } from '@/components/skeleton'
import { EmptyState } from '@/components/states'
import { SupportLink } from '@/components/support-link'
import { ButtonLink } from '@/components/button'
import { findAnswers } from '@/content/help'
import { loadChunk } from '@/lib/load-chunk'
import { newCase } from '@/lib/new-case'
import { paths } from '@/lib/paths'
import { useUser } from '@/lib/session'
import { PublicPage } from '../public-page'

const PaymentFinder = lazy(async () => ({ default: (await loadChunk(() => import('./help/payment-finder'))).PaymentFinder }))

/** Answers that anybody may read, and for members the way to a lost payment and to people [D-M8]. */
export function HelpPage() {
  const user = useUser()
  const isMember = user !== null && !user?.role
  return (
    <PublicPage>
      <div className="mx-auto w-full max-w-3xl px-5 pt-12 pb-20 sm:px-8 lg:pt-16">
        <PageTitle title="Help" className="text-3xl font-semibold sm:text-4xl" />
        <Answers />
        {isMember && (
          <Suspense fallback={<Skeleton className="mt-12 h-64" />}>
            <PaymentFinder />
          </Suspense>
        )}
        <section aria-labelledby="ask-heading" className="mt-12">
          <h2 id="ask-heading" className="text-xl font-semibold">
            Ask us
          </h2>
          <p className="mt-2 text-ink-soft">
            {isMember ? 'Open a case: we answer in your account, and an email tells you when. ' : 'Log in to open a case, and we answer in your account. '}
            <span>Without an account, write to </span>
            <SupportLink />
            <span>.</span>
          </p>
          <div className="mt-4 flex flex-wrap gap-3">
            {isMember ? (
              <>
                <ButtonLink to={newCase()}>Open a case</ButtonLink>
                <ButtonLink to={paths.cases} variant="secondary">
                  Your cases
                </ButtonLink>
              </>
            ) : (
              <ButtonLink to={paths.login} variant="secondary">
                Log in to ask
              </ButtonLink>
            )}
          </div>
        </section>
      </div>
    </PublicPage>
  )
}

function Answers() {
  const [search, setSearch] = useState('')
  const topics = findAnswers(search)
  const isSearching = search.trim() !== ''
  const count = topics.reduce((sum, { answers }) => sum + answers.length, 0)
  return (
    <>
      <div className="mt-6">
        <TextField
          label="Search the answers"
          type="search"
          autoComplete="off"
          value={search}
          leading={<Search aria-hidden className="size-4.5" />}
          className="ps-10"
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      <p role="status" className="sr-only">
        {isSearching ? `${count} ${count === 1 ? 'answer' : 'answers'} found` : ''}
      </p>
      {topics.length === 0 && (
        <Card className="mt-8">
          <EmptyState icon={SearchX} title="No answer has these words" description="Try another word, or ask us below." />
        </Card>
      )}
      {topics.map(({ id, title, answers }) => (
        <section key={id} aria-labelledby={id} className="mt-10">
          <h2 id={id} className="scroll-mt-20 text-xl font-semibold">
            {title}
          </h2>
          <Card className="mt-3 divide-y divide-line">
            {answers.map((answer) => (
              <details key={`${answer.id} ${isSearching ? 'found' : ''}`} open={isSearching} className="group px-5 sm:px-6">
                <summary className="flex min-h-11 cursor-pointer items-center justify-between gap-4 py-3 font-medium">
                  <span>{answer.question}</span>
                  <ChevronDown aria-hidden className="size-4.5 shrink-0 text-ink-faint group-open:rotate-180" />
                </summary>
                <p className="pb-4 leading-7 text-ink-soft">{answer.answer}</p>
              </details>
            ))}
          </Card>
        </section>
      ))}
    </>
  )
}
