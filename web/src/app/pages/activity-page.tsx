import { Page } from '@/components/page'
import { ActivityCard } from '@/features/profile/components/activity-card'
import { paths } from '@/lib/paths'
import { Link } from 'react-router'

export function ActivityPage() {
  return (
    <Page title="Account activity" description="Logins and changes from the last 13 months.">
      <ActivityCard />
      <p className="mt-4 text-sm text-ink-soft">
        Don’t recognize something? <Link className="font-medium text-accent underline" to={paths.profile}>Change your password</Link>.
        This ends all other sessions.
      </p>
    </Page>
  )
}
