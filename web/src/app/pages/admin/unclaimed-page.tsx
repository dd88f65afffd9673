import { AdminPage } from '@/features/admin/components/admin-page'
import { CsvButton } from '@/features/admin/components/csv-button'
import { UnclaimedPayments } from '@/features/admin-review/components/unclaimed-payments'

export function UnclaimedPage() {
  return (
    <AdminPage
      title="Unclaimed payments"
      description="Payments on a chain that no transaction accounts for."
      action={<CsvButton url="/admin/payments/unclaimed" filter={{}} name="solvane-unclaimed" aria-label="Unclaimed payments as CSV" />}
    >
      <UnclaimedPayments />
    </AdminPage>
  )
}
