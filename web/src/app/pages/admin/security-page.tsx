import { useRefreshMe } from '@/features/admin/api/get-me'
import { AdminPage } from '@/features/admin/components/admin-page'
import { AuthenticatorCard } from '@/features/factors/components/authenticator-card'
import { PasskeysCard } from '@/features/factors/components/passkeys-card'

export function SecurityPage() {
  const refreshMe = useRefreshMe()
  return (
    <AdminPage title="Security">
      <div className="max-w-2xl space-y-5">
        <AuthenticatorCard onEnrolled={() => void refreshMe()} />
        <PasskeysCard onAdded={() => void refreshMe()} />
      </div>
    </AdminPage>
  )
}
