import { Card, CardHeader } from '@/components/card'
import { Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import { useNoticePreferences } from '../api/preferences'
import { GroupChoices } from './group-choices'
import { PushCard } from './push-card'

/** Which notices come by mail and to this device; those in the app stay [D-M7]. */
export function PreferenceCards() {
  const { data, isPending, isFetching, error, refetch } = useNoticePreferences()
  return (
    <>
      <Card>
        <CardHeader title="Emails" description="About security, withdrawals, rejections, corrections and complaints we always write." />
        {isPending ? (
          <div className="space-y-2 p-5 sm:p-6">
            <Skeletons count={3} className="h-11" label="Loading your email preferences" />
          </div>
        ) : !data ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
        ) : (
          <GroupChoices legend="Emails that you want" way="mail" preferences={data} />
        )}
      </Card>
      <PushCard preferences={data} />
    </>
  )
}
