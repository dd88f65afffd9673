import { Award, CircleCheck, Download, TriangleAlert } from 'lucide-react'
import { useParams } from 'react-router'
import { buttonClass } from '@/components/button'
import { Card } from '@/components/card'
import { CopyButton } from '@/components/copy-button'
import { cx } from '@/components/cx'
import { PageTitle } from '@/components/page'
import { Skeleton } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { useCertificate, type Certificate } from '@/features/certificates/api/get-certificate'
import { ApiError } from '@/lib/api-error'
import { formatDay } from '@/lib/dates'
import { apiUrl } from '@/lib/env'
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
        <Card className="mt-8 overflow-hidden">
          <Verdict number={number} />
        </Card>
      </div>
    </PublicPage>
  )
}

function Verdict({ number }: { number: string }) {
  const { data, error, refetch, isFetching } = useCertificate(number)
  if (data) return <Facts certificate={data} number={number} />
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

function Facts({ certificate: { name, course, issuedAt, ended }, number }: { certificate: Certificate; number: string }) {
  const Icon = ended ? TriangleAlert : CircleCheck
  return (
    <>
      <p className={cx('flex items-start gap-3 px-6 py-4 text-sm font-semibold text-ink sm:px-8', ended ? 'bg-caution-soft' : 'bg-positive-soft')}>
        <Icon aria-hidden className={cx('mt-0.5 size-4.5 shrink-0', ended ? 'text-caution' : 'text-positive')} />
        <span>{ended ? 'This certificate is no longer valid: the purchase of the course was refunded.' : 'This certificate is valid.'}</span>
      </p>
      <dl className="grid gap-x-10 gap-y-5 p-6 sm:grid-cols-[auto_1fr] sm:p-8">
        <Fact label="Name" wide className="text-2xl sm:text-3xl">
          {name}
        </Fact>
        <Fact label="Completed" wide className="text-lg">
          {course}
        </Fact>
        <Fact label="Issued on">{formatDay(issuedAt)}</Fact>
        <Fact label="Certificate number" className="text-sm wrap-anywhere">
          {number}
        </Fact>
      </dl>
      <div className="flex flex-wrap gap-3 border-t border-line px-6 py-4 sm:px-8">
        <a href={`${apiUrl}/certificates/${encodeURIComponent(number)}.pdf`} download className={buttonClass({ variant: 'secondary', size: 'sm' })}>
          <Download aria-hidden className="size-4" />
          Download PDF
        </a>
        <CopyButton text={window.location.href} label="Copy link" success="Link copied to clipboard!" failure="Failed to copy the link" />
      </div>
    </>
  )
}

function Fact({ label, wide = false, className, children }: { label: string; wide?: boolean; className?: string; children: string }) {
  return (
    <div className={cx(wide && 'sm:col-span-2')}>
      <dt className="text-sm text-ink-faint">{label}</dt>
      <dd className={cx('mt-0.5 font-semibold break-words text-ink', className)}>{children}</dd>
    </div>
  )
}
