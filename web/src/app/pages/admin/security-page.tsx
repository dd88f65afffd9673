import { Page } from '@/components/page'
import { TotpSetup } from '@/features/admin/components/totp-setup'

export function SecurityPage() {
  return (
    <Page title="Security" width="form">
      <TotpSetup />
    </Page>
  )
}
