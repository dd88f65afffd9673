import { ChevronRight, History, Wallet, type LucideIcon } from 'lucide-react'
import { Suspense, lazy } from 'react'
import { Link } from 'react-router'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'
import { AuthenticatorCard } from '@/features/factors/components/authenticator-card'
import { PasskeysCard } from '@/features/factors/components/passkeys-card'
import { AppearanceCard } from '@/features/profile/components/appearance-card'
import { CloseAccountCard } from '@/features/profile/components/close-account-card'
import { DataCard } from '@/features/profile/components/data-card'
import { DetailsForm } from '@/features/profile/components/details-form'
import { PhotoCard } from '@/features/profile/components/photo-card'
import { SecurityForm } from '@/features/profile/components/security-form'
import { SessionsCard } from '@/features/profile/components/sessions-card'
import { loadChunk } from '@/lib/load-chunk'
import { paths } from '@/lib/paths'
import { useMember } from '@/lib/session'
import { loadable } from '../loadable'

const PreferenceCards = loadable(() => import('@/features/notices/components/preference-cards'), 'PreferenceCards')

// Only for those who leave.
const LastPayout = lazy(async () => ({ default: (await loadChunk(() => import('./profile/last-payout'))).LastPayout }))

export function ProfilePage() {
  const user = useMember()
  return (
    <Page title="Profile">
      <div className="space-y-5">
        <PhotoCard user={user} />
        <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
          <div className="min-w-0 space-y-5">
            <DetailsForm user={user} />
            <SecurityForm userId={user.id} />
            <AuthenticatorCard asksForPassword />
            <PasskeysCard asksForPassword />
          </div>
          <div className="min-w-0 space-y-5">
            <SettingsLink
              to={paths.paymentMethods}
              icon={Wallet}
              title="Payment methods"
              description="Your saved addresses for withdrawals"
            />
            <SessionsCard />
            <SettingsLink
              to={paths.activity}
              icon={History}
              title="Account activity"
              description="Logins and changes from the last 13 months"
            />
            <Suspense fallback={<Skeleton className="h-64" />}>
              <PreferenceCards />
            </Suspense>
            <AppearanceCard />
            <DataCard />
            <CloseAccountCard closesAt={user.closesAt} isPayingOut={user.isWithdrawalPending} payout={(fields) => <LastPayout {...fields} />} />
          </div>
        </div>
      </div>
    </Page>
  )
}

function SettingsLink({ to, icon: Icon, title, description }: { to: string; icon: LucideIcon; title: string; description: string }) {
  return (
    <Link
      to={to}
      className="flex items-center gap-3 rounded-xl border border-line bg-surface p-5 shadow-card transition-colors hover:border-line-control sm:px-6"
    >
      <Icon aria-hidden className="size-5 text-ink-faint" />
      <span className="flex-1">
        <span className="block font-semibold">{title}</span>
        <span className="block text-sm text-ink-faint">{description}</span>
      </span>
      <ChevronRight aria-hidden className="size-5 text-ink-faint" />
    </Link>
  )
}
