import type { ReactNode } from 'react'
import { Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'

type Query<T> = { data: T | undefined; isPending: boolean; isFetching: boolean; error: unknown; refetch: () => unknown }

type LoadedProps<T> = { query: Query<T>; label: string; count?: number; skeleton?: string; children: (data: T) => ReactNode }

/** Loading, failed and loaded, always three different things [D-L5]. */
export function Loaded<T>({ query, label, count = 4, skeleton = 'h-12', children }: LoadedProps<T>) {
  const { data, isPending, isFetching, error, refetch } = query
  if (isPending) {
    return (
      <div className="space-y-2 p-4">
        <Skeletons count={count} className={skeleton} label={label} />
      </div>
    )
  }
  if (data === undefined) return <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
  return children(data)
}
