import { ActivityList } from '@/components/activity-list'
import { Card } from '@/components/card'
import { MoreButton } from '@/components/more-button'
import { Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import { useActivity } from '../api/list-activity'

/** Every login, refusal and change of the account [D-A7]. */
export function ActivityCard() {
  const query = useActivity()
  const { events, isPending, isFetching, error, refetch } = query
  return (
    <Card className="overflow-hidden">
      {isPending ? (
        <div className="space-y-3 p-5 sm:p-6">
          <Skeletons count={6} className="h-14" label="Loading the activity" />
        </div>
      ) : !events ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      ) : (
        <ActivityList events={events} />
      )}
      <MoreButton query={query} />
    </Card>
  )
}
