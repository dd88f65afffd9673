import { Page } from '@/components/page'
import { ProposalInbox } from '@/features/admin/components/proposal-inbox'

export function ProposalsPage() {
  return (
    <Page title="Proposals" description="Changes that take two people">
      <ProposalInbox />
    </Page>
  )
}
