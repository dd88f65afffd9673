import { Page } from '@/components/page'
import { IntegrityBoard } from '@/features/admin/components/integrity-board'

export function IntegrityPage() {
  return (
    <Page title="Integrity">
      <IntegrityBoard />
    </Page>
  )
}
