import { useSearchParams } from 'react-router'
import { SelectField } from '@/components/field'
import { Segmented } from '@/components/segmented'
import { ShownCsvButton } from '@/features/admin/components/shown-csv-button'
import { withParam } from '@/features/admin/use-typed-param'
import { waitsFor } from '../api/list-waiting'
import { views, type Row } from '../views'

/** Of the file of the rows that are shown. */
const columns = {
  reference: ({ transaction }: Row) => transaction.reference,
  kind: ({ transaction }: Row) => waitsFor(transaction),
  member: ({ transaction }: Row) => transaction.user.name,
  email: ({ transaction }: Row) => transaction.user.email,
  amount: ({ transaction }: Row) => transaction.amount,
  network: ({ transaction }: Row) => transaction.method?.network,
  createdAt: ({ transaction }: Row) => transaction.createdAt,
  chainState: ({ verdict }: Row) => verdict?.chainState,
  concerns: ({ verdict }: Row) => verdict?.concerns,
  blockers: ({ verdict }: Row) => verdict?.blockers.map(({ message }) => message).join(' '),
}

/** Which rows are shown: the address keeps it. */
export function QueueFilters({ networks, rows }: { networks: readonly string[]; rows: readonly Row[] }) {
  const [params, setParams] = useSearchParams()
  const set = (name: string, value: string) => setParams((now) => withParam(now, name, value), { replace: true })
  const view = params.get('view') ?? 'all'
  const network = params.get('network') ?? ''
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-3">
      <Segmented
        legend="View"
        options={views.map(({ value, label }) => ({ value, label }))}
        value={views.find(({ value }) => value === view)?.value ?? 'all'}
        onChange={(value) => set('view', value === 'all' ? '' : value)}
      />
      <div className="flex items-end gap-3">
        {(networks.length > 1 || network) && (
          <SelectField
            label="Network"
            blank="Every network"
            options={[...new Set([...networks, ...(network ? [network] : [])])].map((value) => ({ value, label: value }))}
            value={network}
            onChange={({ target }) => set('network', target.value)}
          />
        )}
        {rows.length > 0 && (
          <ShownCsvButton columns={columns} rows={rows} name="solvane-queue" />
        )}
      </div>
    </div>
  )
}
