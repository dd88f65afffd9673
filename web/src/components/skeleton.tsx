import { cx } from './cx'

/** A grey stand-in of the size of what is loading. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cx('animate-pulse rounded-md bg-sunken', className)} />
}

/** `count` stand-ins, announced once as loading. */
export function Skeletons({ count, className, label = 'Loading' }: { count: number; className?: string; label?: string }) {
  return (
    <>
      <span role="status" className="sr-only">
        {label}
      </span>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} data-testid="skeleton" aria-hidden className={cx('animate-pulse rounded-lg bg-sunken', className)} />
      ))}
    </>
  )
}
