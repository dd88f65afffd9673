import { AdminPage } from '@/features/admin/components/admin-page'
import { TotpSetup } from '@/features/admin/components/totp-setup'

export function SecurityPage() {
  return (
    <AdminPage title="Security">
      <div className="max-w-2xl">
        <TotpSetup />
      </div>
    </AdminPage>
  )
}
