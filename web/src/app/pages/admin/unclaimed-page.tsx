import { AdminPage } from '@/features/admin/components/admin-page'
import { UnclaimedPayments } from '@/features/admin-review/components/unclaimed-payments'

export function UnclaimedPage() {
  return (
    <AdminPage title="Unclaimed payments" description="Payments on a chain that no transaction accounts for.">
      <UnclaimedPayments />
    </AdminPage>
  )
}
