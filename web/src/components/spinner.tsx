import { LoaderCircle } from 'lucide-react'
import { cx } from './cx'

export function Spinner({ className }: { className?: string }) {
  return <LoaderCircle aria-hidden className={cx('animate-spin', className ?? 'size-4.5')} />
}

/** Fills the page while its code or the session check is under way. */
export function PageLoader({ label = 'Loading' }: { label?: string }) {
  return (
    <div role="status" className="grid min-h-[60dvh] place-items-center text-ink-faint">
      <Spinner className="size-6" />
      <span className="sr-only">{label}</span>
    </div>
  )
}
