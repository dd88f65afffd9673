import { Page } from '@/components/page'
import { ActivityCard } from '@/features/profile/components/activity-card'
import { paths } from '@/lib/paths'
import { Link } from 'react-router'

export function ActivityPage() {
  return (
    <Page title="Account activity" description="Sign-ins and changes of the last 13 months.">
      <ActivityCard />
      <p className="mt-4 text-sm text-ink-soft">
        Something here was not you? <Link className="font-medium text-accent underline" to={paths.profile}>Change your password</Link>,
        which ends every other session.
      </p>
    </Page>
  )
}
