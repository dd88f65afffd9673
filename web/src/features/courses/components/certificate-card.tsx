import { Award, Download } from 'lucide-react'
import { Button, ButtonLink, buttonClass } from '@/components/button'
import { Card } from '@/components/card'
import { apiUrl } from '@/lib/env'
import { paths } from '@/lib/paths'
import type { Course } from '../api/course'
import { useIssueCertificate } from '../api/issue-certificate'
import { progressOf } from '../progress'

/** For members who have done all lessons: the certificate, or the way to it [D-C8]. */
export function CertificateCard({ course }: { course: Course }) {
  const { done, total } = progressOf(course)
  const issued = course.certificate
  if (!issued && (!course.purchased || total === 0 || done < total)) return null
  return (
    <Card aria-label="Certificate" className="flex flex-wrap items-center gap-x-6 gap-y-4 p-6">
      <Award aria-hidden className="size-8 shrink-0 text-accent-text" />
      <div className="min-w-0 flex-1 basis-64">
        <h2 className="font-semibold">{issued ? 'Your certificate' : 'You have completed all lessons'}</h2>
        <p className="mt-0.5 text-sm text-ink-soft">
          {issued
            ? 'Anyone you give its address can verify it. The page shows your name, the course and the date.'
            : 'Get a certificate with your name, and an address at which others can verify it.'}
        </p>
      </div>
      <div className="flex flex-wrap gap-3">{issued ? <Ways number={issued.number} /> : <Get />}</div>
    </Card>
  )
}

function Get() {
  const issue = useIssueCertificate()
  return (
    <Button busyLabel="Issuing..." onClick={() => issue.mutateAsync().catch(() => undefined)}>
      Get your certificate
    </Button>
  )
}

function Ways({ number }: { number: string }) {
  return (
    <>
      <ButtonLink to={paths.certificate(number)} variant="secondary">
        View
      </ButtonLink>
      <a href={`${apiUrl}/certificates/${encodeURIComponent(number)}.pdf`} download className={buttonClass()}>
        <Download aria-hidden className="size-4.5" />
        Download PDF
      </a>
    </>
  )
}
