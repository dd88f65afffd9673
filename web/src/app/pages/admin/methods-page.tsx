import { Page } from '@/components/page'
import { MethodBoard } from '@/features/admin/components/method-board'
import { OpenProposals } from '@/features/admin/components/open-proposals'

export function MethodsPage() {
  return (
    <Page title="Platform methods" description="The addresses that members pay to">
      <div className="space-y-5">
        <OpenProposals about={({ kind }) => kind.startsWith('payment_method.')} />
        <MethodBoard />
      </div>
    </Page>
  )
}
