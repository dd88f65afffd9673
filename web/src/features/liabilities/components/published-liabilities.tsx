import { Card, CardHeader } from '@/components/card'
import { CopyButton } from '@/components/copy-button'
import { DetailList } from '@/components/detail-list'
import type { Liabilities } from '@/lib/api-types'
import { formatZoned } from '@/lib/dates'
import { formatMoney } from '@/lib/money'

/** What everybody can see: the sum, and the root that commits to it. */
export function PublishedLiabilities({ published }: { published: Liabilities }) {
  const { at, root, total, leaves } = published
  return (
    <Card>
      <CardHeader title="Owed to members" description={`Counted on ${formatZoned(at)}`} />
      <div className="px-5 pb-5 sm:px-6">
        <p className="tabular mt-3 text-3xl font-semibold text-ink">{formatMoney(total)}</p>
        <div className="mt-4">
          <DetailList
            items={[
              { label: 'Leaves', value: <span className="tabular">{leaves.toLocaleString('en-US')}</span> },
              {
                label: 'Root',
                value: (
                  <span className="flex items-start justify-end gap-2">
                    <code className="min-w-0 text-xs break-all">{root}</code>
                    <CopyButton text={root} success="Root copied to clipboard!" failure="Failed to copy the root" />
                  </span>
                ),
              },
            ]}
          />
        </div>
      </div>
    </Card>
  )
}
