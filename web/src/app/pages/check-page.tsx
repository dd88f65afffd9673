import { SearchX } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { useSearchParams } from 'react-router'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { PageTitle } from '@/components/page'
import { Skeleton } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { useDocument } from '@/features/documents/api/check-document'
import { DocumentFacts } from '@/features/documents/components/document-facts'
import { ApiError } from '@/lib/api-error'
import { PublicPage } from '../public-page'

/** Confirms a statement, receipt or year report to anyone who has its number [D-M9]. */
export function CheckPage() {
  const [search, setSearch] = useSearchParams()
  const number = search.get('number')?.trim() ?? ''
  const [typed, setTyped] = useState(number)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSearch(typed.trim() ? { number: typed.trim() } : {})
  }
  return (
    <PublicPage>
      <meta name="robots" content="noindex" />
      <div className="mx-auto w-full max-w-2xl px-5 pt-12 pb-20 sm:px-8 lg:pt-16">
        <PageTitle title="Check a document" className="text-3xl font-semibold sm:text-4xl" />
        <p className="mt-4 text-pretty text-ink-soft">
          Statements, year reports and receipts have a number at the end of each page. Certificates of the course have an address of their own.
        </p>
        <form onSubmit={submit} className="mt-8 flex flex-wrap items-end gap-3">
          {/* The fields of forms would bring all that forms need. */}
          <label className="min-w-0 flex-1 basis-60 text-sm font-medium text-ink">
            Document number
            <input
              placeholder="SD-0A1B-2C3D-4E5F-6G7H"
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={64}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              className="mt-1.5 block min-h-11.5 w-full rounded-md border border-line-control bg-surface px-3.5 text-base font-normal text-ink placeholder:text-ink-faint hover:border-ink-faint focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/40"
            />
          </label>
          <Button type="submit">Check</Button>
        </form>
        {number && (
          <Card className="mt-8">
            <Verdict key={number} number={number} />
          </Card>
        )}
      </div>
    </PublicPage>
  )
}

function Verdict({ number }: { number: string }) {
  const { data, error, refetch, isFetching } = useDocument(number)
  if (data) return <DocumentFacts document={data} />
  if (error instanceof ApiError && error.status === 404) {
    return <EmptyState icon={SearchX} title="We issued no such document" description="Compare the number with the one on the page, digit by digit. If it is the same, the document is not from us." />
  }
  if (error) return <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
  return (
    <div aria-busy className="space-y-4 p-6 sm:p-8">
      <Skeleton className="h-5 w-40" />
      <Skeleton className="h-9 w-56" />
      <Skeleton className="h-16 w-full" />
    </div>
  )
}
