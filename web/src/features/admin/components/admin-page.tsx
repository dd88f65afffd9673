import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { ChevronLeft } from 'lucide-react'
import { PageTitle } from '@/components/page'

type AdminPageProps = { title: string; description?: ReactNode; action?: ReactNode; back?: { to: string; label: string }; children: ReactNode }

/** The frame of a page of the back office: denser than a member's. */
export function AdminPage({ title, description, action, back, children }: AdminPageProps) {
  return (
    <>
      {back && <BackLink {...back} />}
      <div className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <PageTitle title={title} className="text-xl font-semibold text-ink" />
          {description && <p className="text-sm text-ink-soft">{description}</p>}
        </div>
        {action}
      </div>
      {children}
    </>
  )
}

export function BackLink({ to, label }: { to: string; label: string }) {
  return (
    <Link to={to} className="inline-flex min-h-8 items-center gap-1 rounded-sm text-sm font-medium text-ink-soft hover:text-ink pointer-coarse:min-h-11">
      <ChevronLeft aria-hidden className="size-4" />
      {label}
    </Link>
  )
}
