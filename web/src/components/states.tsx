import { CircleAlert, Lock, RotateCw, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { messageOf, toApiError } from '@/lib/api-error'
import { Button } from './button'
import { WithSupport } from './with-support'

type EmptyProps = { icon: LucideIcon; title: string; description?: string; action?: ReactNode }

export function EmptyState({ icon: Icon, title, description, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      <span className="mb-4 grid size-12 place-items-center rounded-full bg-sunken text-ink-faint">
        <Icon aria-hidden className="size-5.5" />
      </span>
      <p className="font-semibold text-ink">{title}</p>
      {description && <p className="mt-1 max-w-sm text-sm text-ink-faint">{description}</p>}
      {action && <div className="mt-5">{action}</div>}
    </div>
  )
}

type ErrorProps = { error: unknown; onRetry: () => void; title?: string; busy?: boolean }

/** An error with a Retry button, unlike an empty list [D-L5]. A missing permission has no Retry, because it would fail again. */
export function ErrorPanel({ error, onRetry, title = 'This could not be loaded', busy }: ErrorProps) {
  if (toApiError(error).code === 'PERMISSION_DENIED') return <NoAccess />
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-12 text-center">
      <span className="mb-4 grid size-12 place-items-center rounded-full bg-negative-soft text-negative">
        <CircleAlert aria-hidden className="size-5.5" />
      </span>
      <p className="font-semibold text-ink">{title}</p>
      <p className="mt-1 max-w-sm text-sm text-ink-faint"><WithSupport text={messageOf(error)} /></p>
      <Button
        variant="secondary"
        size="sm"
        className="mt-5"
        onClick={onRetry}
        busy={busy}
        icon={<RotateCw aria-hidden className="size-4" />}
      >
        Retry
      </Button>
    </div>
  )
}

/** For pages and lists that the caller's role may not see; asking again changes nothing. */
export const NoAccess = () => (
  <div role="alert">
    <EmptyState icon={Lock} title="You don’t have access to this" description="Your role does not have this permission. Ask an admin which role does." />
  </div>
)
