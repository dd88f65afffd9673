import { Award } from 'lucide-react'
import { useParams } from 'react-router'
import { Card } from '@/components/card'
import { PageTitle } from '@/components/page'
import { Skeleton } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { useCertificate, type Certificate } from '@/features/certificates/api/get-certificate'
import { ApiError } from '@/lib/api-error'
import { formatDay } from '@/lib/dates'
import { PublicPage } from '../public-page'

/** Confirms a certificate to anyone who has its address: name, course, date and whether it still counts, nothing else [D-C8]. */
export function CertificatePage() {
  const { number = '' } = useParams()
  return (
    <PublicPage>
      {/* Pages with names are for those who were given the address, not for search engines. */}
      <meta name="robots" content="noindex" />
      <div className="mx-auto w-full max-w-2xl px-5 pt-12 pb-20 sm:px-8 lg:pt-16">
        <PageTitle title="Certificate" className="text-3xl font-semibold sm:text-4xl" />
        <Card className="mt-8">
          <Verdict number={number} />
        </Card>
      </div>
    </PublicPage>
  )
}

function Verdict({ number }: { number: string }) {
  const { data, error, refetch, isFetching } = useCertificate(number)
  if (data) return <Facts certificate={data} />
  if (error instanceof ApiError && error.status === 404) {
    return <EmptyState icon={Award} title="No such certificate" description="Check the address. It is printed on the certificate." />
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

function Facts({ certificate: { name, course, issuedAt, ended } }: { certificate: Certificate }) {
  return (
    <div className="p-6 sm:p-8">
      <Award aria-hidden className="size-8 text-accent-text" />
      {ended ? (
        <p className="mt-4 font-medium text-caution">This certificate is no longer valid: the purchase of the course was refunded.</p>
      ) : (
        <p className="mt-4 text-ink-soft">This certificate is valid.</p>
      )}
      <dl className="mt-6 space-y-5">
        {[['Name', name], ['Completed', course], ['Issued on', formatDay(issuedAt)]].map(([label, value]) => (
          <div key={label}>
            <dt className="text-sm text-ink-faint">{label}</dt>
            <dd className="mt-0.5 text-lg font-semibold break-words text-ink">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
