import { Monitor } from 'lucide-react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card, CardHeader } from '@/components/card'
import { Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import type { DeviceSession } from '@/lib/api-types'
import { formatDateTimes } from '@/lib/dates'
import { useDeviceSessions, useEndSessions } from '../api/device-sessions'

/** Every logged-in device, each of which can be logged out from here [D-S4]. */
export function SessionsCard() {
  const { data: sessions, isPending, isFetching, error, refetch } = useDeviceSessions()
  const lastSeen = formatDateTimes(sessions?.map(({ lastSeenAt }) => lastSeenAt) ?? [])
  return (
    <Card className="overflow-hidden">
      <CardHeader title="Sessions" description="Where your account is logged in." />
      {isPending ? (
        <div className="space-y-3 p-5 sm:p-6">
          <Skeletons count={2} className="h-14" label="Loading sessions" />
        </div>
      ) : !sessions ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      ) : (
        <>
          <ul className="mt-4 divide-y divide-line border-t border-line">
            {sessions.map((session, index) => (
              <SessionRow key={session.id} session={session} lastSeen={lastSeen[index] ?? ''} />
            ))}
          </ul>
          <EndOthers ids={sessions.filter(({ current }) => !current).map(({ id }) => id)} />
        </>
      )}
    </Card>
  )
}

/** All at once, for instance after a second factor was added or removed. */
function EndOthers({ ids }: { ids: string[] }) {
  const end = useEndSessions()
  if (ids.length < 2) return null
  return (
    <div className="border-t border-line px-5 py-4 sm:px-6">
      <Button variant="secondary" onClick={() => end.mutateAsync(ids)}>
        End all other sessions
      </Button>
    </div>
  )
}

function SessionRow({ session: { id, current, device, address }, lastSeen }: { session: DeviceSession; lastSeen: string }) {
  const end = useEndSessions()
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3.5 sm:px-6">
      <Monitor aria-hidden className="size-5 shrink-0 text-ink-faint" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {device}
          {current && <Badge tone="accent">This device</Badge>}
        </p>
        <p className="text-sm text-ink-faint">
          {address} · last seen {lastSeen}
        </p>
      </div>
      {!current && (
        <Button
          variant="secondary"
          size="sm"
          aria-label={`End the session on ${device}`}
          onClick={() => end.mutateAsync([id])}
        >
          End session
        </Button>
      )}
    </li>
  )
}
