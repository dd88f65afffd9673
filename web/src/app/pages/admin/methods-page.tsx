import { AdminPage } from '@/features/admin/components/admin-page'
import { AddMethodButton, MethodBoard, MethodsCsvButton } from '@/features/admin-methods/components/method-board'
import { PublishRateButton } from '@/features/admin-methods/components/rate-form'
import { OpenProposals } from '@/features/admin-proposals/components/open-proposals'

export function MethodsPage() {
  return (
    <AdminPage
      title="Platform methods"
      description="Addresses that members send deposits to, and rates of their currencies"
      action={
        <div className="flex flex-wrap gap-3">
          <MethodsCsvButton />
          <PublishRateButton />
          <AddMethodButton />
        </div>
      }
    >
      <div className="space-y-5">
        <OpenProposals about={({ kind }) => kind.startsWith('payment_method.') || kind.startsWith('rate.')} />
        <MethodBoard />
      </div>
    </AdminPage>
  )
}
