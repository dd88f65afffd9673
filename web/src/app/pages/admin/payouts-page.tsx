import { useParams } from 'react-router'
import { AdminPage } from '@/features/admin/components/admin-page'
import { Payouts } from '@/features/admin-review/components/payouts'

export function PayoutsPage() {
  const { id } = useParams()
  return (
    <AdminPage title="Payouts">
      <Payouts selected={id} />
    </AdminPage>
  )
}
