import { AdminPage } from '@/features/admin/components/admin-page'
import { QueueCounts } from '@/features/admin-review/components/queue-counts'
import { ProvenDeposits } from '@/features/admin-review/components/proven-deposits'
import { WaitingList } from '@/features/admin-review/components/waiting-list'

export function QueuePage() {
  return (
    <AdminPage title="Queue">
      <div className="space-y-5">
        <QueueCounts />
        <ProvenDeposits />
        <WaitingList />
      </div>
    </AdminPage>
  )
}
