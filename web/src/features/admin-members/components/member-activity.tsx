import { ActivityList, activitySentence } from '@/components/activity-list'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { useEndSessions, useMemberActivity } from '@/features/admin/api/members'
import type { MemberPage } from '@/features/admin/api/types'
import type { SecurityEvent } from '@/lib/api-types'
import { formatMoment } from '@/lib/dates'
import { useMay } from '@/features/admin/permissions'
import { CardHead } from '@/features/admin/components/card-head'
import { Loaded } from '@/features/admin/components/loaded'
import { ShownCsvButton } from '@/features/admin/components/shown-csv-button'
import { MoreButton } from '@/components/more-button'

/** Where a member is logged in, with the means to end it [D-A7]. */
export function MemberSessions({ id, sessions }: { id: string; sessions: MemberPage['sessions'] }) {
  const may = useMay()
  const end = useEndSessions(id)
  return (
    <Card className="p-4">
      <div className="flex items-center justify-between gap-3">
        <h2 className="text-base font-semibold">Sessions</h2>
        {may('freeze') && sessions.length > 0 && (
          <Button variant="secondary" size="sm" busy={end.isPending} onClick={() => end.mutateAsync({})}>
            End all sessions
          </Button>
        )}
      </div>
      {sessions.length === 0 && <p className="mt-1 text-sm text-ink-faint">No active sessions.</p>}
      <ul className="mt-1 divide-y divide-line text-sm">
        {sessions.map((one) => (
          <li key={one.id} className="py-2">
            <p className="font-medium">{one.device || 'Unknown device'}</p>
            <p className="text-ink-faint">
              {one.address}
              {one.lastSeenAt && `, last seen ${formatMoment(one.lastSeenAt)}`}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const columns = {
  at: (one: SecurityEvent) => one.at,
  what: (one: SecurityEvent) => activitySentence(one.kind, one.refused),
  device: (one: SecurityEvent) => one.device,
  addressBlock: (one: SecurityEvent) => one.addressBlock,
}

/** What happened to the security of a member's account, as the member sees it. */
export function MemberActivity({ id }: { id: string }) {
  const query = useMemberActivity(id)
  return (
    <Card className="overflow-hidden">
      <CardHead title="Account activity">
        {/* A file has all of it: one of the pages that were read would look like all. */}
        {query.events && query.events.length > 0 && !query.hasNextPage && (
          <ShownCsvButton size="sm" columns={columns} rows={query.events} name="solvane-activity" aria-label="Account activity as CSV" />
        )}
      </CardHead>
      <Loaded query={{ ...query, data: query.events }} label="Loading the activity">
        {(events) => (events.length === 0 ? <p className="px-4 pt-1 pb-4 text-sm text-ink-faint">No activity yet.</p> : <ActivityList events={events} />)}
      </Loaded>
      <MoreButton query={query} />
    </Card>
  )
}
