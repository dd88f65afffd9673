import { useRefreshMe } from '@/features/admin/api/get-me'
import { AdminPage } from '@/features/admin/components/admin-page'
import { AuthenticatorCard } from '@/features/factors/components/authenticator-card'

export function SecurityPage() {
  const refreshMe = useRefreshMe()
  return (
    <AdminPage title="Security">
      <div className="max-w-2xl">
        <AuthenticatorCard onEnrolled={() => void refreshMe()} />
      </div>
    </AdminPage>
  )
}
