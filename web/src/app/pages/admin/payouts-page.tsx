import { useParams } from 'react-router'
import { Page } from '@/components/page'
import { Payouts } from '@/features/admin/components/payouts'

export function PayoutsPage() {
  const { id } = useParams()
  return (
    <Page title="Payouts">
      <Payouts selected={id} />
    </Page>
  )
}
