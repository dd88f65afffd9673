import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { PageTitle } from '@/components/page'
import { paths } from '@/lib/paths'

export function SessionHeading({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="mb-8">
      <PageTitle title={title} className="text-2xl font-semibold text-ink sm:text-3xl" />
      <p className="mt-2 text-ink-soft">{children}</p>
    </div>
  )
}

export function TextLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className="font-semibold text-accent-text underline-offset-3 hover:underline">
      {children}
    </Link>
  )
}

export function LegalLinks({ before }: { before: string }) {
  return (
    <p className="mt-8 text-center text-sm text-balance text-ink-faint">
      {before} <LegalLink to={paths.terms}>Terms of Service</LegalLink> and{' '}
      <LegalLink to={paths.privacy}>Privacy Policy</LegalLink>.
    </p>
  )
}

function LegalLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className="text-ink-soft underline underline-offset-3 hover:text-ink">
      {children}
    </Link>
  )
}
