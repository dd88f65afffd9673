import { ArrowLeft } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { brand } from '@/lib/brand'
import { useWasPrerendered } from '@/lib/was-prerendered'

type TitleProps = { title: string; className?: string; children?: ReactNode }

/** The page's heading. After a route change it takes the focus, so that screen readers announce the new page. */
export function PageTitle({ title, className, children }: TitleProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const wasPrerendered = useWasPrerendered()
  useEffect(() => {
    if (wasPrerendered) return
    const entry = window.history.state as { idx?: number } | null
    if (entry?.idx) heading.current?.focus({ preventScroll: true })
  }, [wasPrerendered])
  return (
    <>
      <title>{`${title} · ${brand.name}`}</title>
      <h1 ref={heading} tabIndex={-1} className={className}>
        {children ?? title}
      </h1>
    </>
  )
}

type PageProps = { title: string; description?: ReactNode; action?: ReactNode; width?: 'full' | 'form'; back?: boolean; children: ReactNode }

/** The frame of a member page: heading, one action, content. */
export function Page({ title, description, action, width = 'full', back = false, children }: PageProps) {
  return (
    <div className={width === 'form' ? 'mx-auto w-full max-w-2xl' : 'w-full'}>
      {back && <BackButton />}
      <div className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-4 sm:mb-8">
        <div className="min-w-0">
          <PageTitle title={title} className="text-2xl font-semibold text-ink" />
          {description && <p className="mt-1 text-ink-soft">{description}</p>}
        </div>
        {action}
      </div>
      {children}
    </div>
  )
}

/** Returns to the previous page [TXN-06]. */
export function BackButton() {
  const navigate = useNavigate()
  return (
    <button
      type="button"
      onClick={() => void navigate(-1)}
      className="-ms-2 mb-3 inline-flex min-h-11 items-center gap-1.5 rounded-md px-2 text-sm font-medium text-ink-soft hover:text-ink"
    >
      <ArrowLeft aria-hidden className="size-4" />
      Back
    </button>
  )
}
