import { useQueryClient } from '@tanstack/react-query'
import { CloudOff, RotateCw } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import { Button } from '@/components/button'
import { useConnection } from '@/lib/connection'
import { formatDateTime, formatTime, isoDay } from '@/lib/dates'
import { useNewVersion } from '@/lib/new-version'
import { queryKeys } from '@/lib/query-keys'

const FIRST_MS = 1_000
const ASK_EVERY_MS = 10_000

/** Notices on every page: no network, and a newer version. */
export function StatusBars() {
  return (
    <>
      <Offline />
      <NewVersion />
    </>
  )
}

function Offline() {
  const { isOffline } = useConnection()
  const client = useQueryClient()
  const wasOffline = useRef(false)
  useEffect(() => {
    if (!isOffline) {
      if (wasOffline.current) void client.invalidateQueries()
      wasOffline.current = false
      return
    }
    wasOffline.current = true
    const ask = () => void client.refetchQueries({ queryKey: queryKeys.session })
    // A single call may have been lost by chance.
    const first = setTimeout(ask, FIRST_MS)
    const timer = setInterval(ask, ASK_EVERY_MS)
    addEventListener('online', ask)
    return () => {
      clearTimeout(first)
      clearInterval(timer)
      removeEventListener('online', ask)
    }
  }, [isOffline, client])
  if (!isOffline) return null
  const at = client.getQueryState(queryKeys.session)?.dataUpdatedAt
  return (
    <Bar icon={<CloudOff aria-hidden className="size-4.5 shrink-0 text-caution" />} className="bg-caution-soft">
      {at ? `Last updated ${momentOf(at)}. ` : ''}You are offline.
    </Bar>
  )
}

/** The time alone, if it was today. */
const momentOf = (at: number) => (isoDay(new Date(at)) === isoDay(new Date()) ? formatTime(at) : formatDateTime(at))

function NewVersion() {
  const { take } = useNewVersion()
  if (!take) return null
  return (
    <Bar icon={<RotateCw aria-hidden className="size-4.5 shrink-0 text-accent-text" />} className="bg-accent-soft">
      A new version is ready.
      <Button size="sm" variant="secondary" className="ms-auto" onClick={take}>
        Reload
      </Button>
    </Bar>
  )
}

function Bar({ icon, className, children }: { icon: ReactNode; className: string; children: ReactNode }) {
  return (
    <div role="status" className={`flex min-h-11 items-center gap-2.5 px-4 py-1.5 text-sm text-ink sm:px-6 lg:px-8 ${className}`}>
      {icon}
      {children}
    </div>
  )
}
