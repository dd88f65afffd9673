import { AdminPage } from '@/features/admin/components/admin-page'
import { AddMethodButton, MethodBoard } from '@/features/admin-methods/components/method-board'
import { OpenProposals } from '@/features/admin-proposals/components/open-proposals'

export function MethodsPage() {
  return (
    <AdminPage title="Platform methods" description="Addresses that members send deposits to" action={<AddMethodButton />}>
      <div className="space-y-5">
        <OpenProposals about={({ kind }) => kind.startsWith('payment_method.')} />
        <MethodBoard />
      </div>
    </AdminPage>
  )
}
