import { AdminPage } from '@/features/admin/components/admin-page'
import { QueueCounts } from '@/features/admin-review/components/queue-counts'
import { ProvenDeposits } from '@/features/admin-review/components/proven-deposits'
import { prefetchQueue } from '@/features/admin-review/api/list-waiting'
import { WaitingList } from '@/features/admin-review/components/waiting-list'
import { takeFirstData } from '@/lib/first-data'
import { firstPages } from '@/lib/first-pages'

export const takeQueue = () => takeFirstData({ [firstPages.waiting]: prefetchQueue })

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
