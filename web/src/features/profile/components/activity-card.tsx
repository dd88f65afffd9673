import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { ActivityList } from '@/components/activity-list'
import { Card } from '@/components/card'
import { MoreButton } from '@/components/more-button'
import { Segmented } from '@/components/segmented'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import type { SecurityEvent } from '@/lib/api-types'
import { useActivity } from '../api/list-activity'

const groups = [
  { value: 'all', label: 'All' },
  { value: 'logins', label: 'Logins' },
  { value: 'changes', label: 'Changes' },
  { value: 'refused', label: 'Refused' },
] as const

type Group = (typeof groups)[number]['value']

/** What only lets somebody in or out, and changes nothing. */
const passing: readonly SecurityEvent['kind'][] = ['sign_in', 'sign_out', 'session_ended', 'step_up', 'password', 'email_code']

const isIn: Record<Group, (event: SecurityEvent) => boolean> = {
  all: () => true,
  logins: ({ kind }) => passing.includes(kind),
  changes: ({ kind, refused }) => !refused && !passing.includes(kind),
  refused: ({ refused }) => refused,
}

/** Every login, refusal and change of the account [D-A7]. */
export function ActivityCard() {
  const query = useActivity()
  const { events, isPending, isFetching, error, refetch } = query
  const [group, setGroup] = useState<Group>('all')
  const shown = events?.filter(isIn[group])
  return (
    <>
      <div className="mb-4">
        <Segmented legend="Show" options={groups} value={group} onChange={setGroup} />
      </div>
      <Card className="overflow-hidden">
        {isPending ? (
          <div className="space-y-3 p-5 sm:p-6">
            <Skeletons count={6} className="h-14" label="Loading the activity" />
          </div>
        ) : !shown ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
        ) : (
          <>
            <ActivityList events={shown} />
            {shown.length === 0 && <EmptyState icon={ShieldCheck} title={query.hasNextPage ? 'Nothing of this kind so far' : 'Nothing of this kind'} />}
          </>
        )}
        <MoreButton query={query} />
      </Card>
    </>
  )
}
