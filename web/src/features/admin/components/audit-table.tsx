import { Download, ScrollText } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { TextField } from '@/components/field'
import { Segmented } from '@/components/segmented'
import { EmptyState } from '@/components/states'
import { useAuditCsv, useAuditTrail, type Trail } from '../api/audit'
import { useStaffName } from '../api/staff'
import type { AuditRow } from '../api/types'
import { formatMoment } from '../durations'
import { adminPaths } from '../paths'
import { fieldInWords } from '../proposals'
import { Loaded } from './loaded'
import { MoreButton } from './more-button'
import { Cell, Table } from './table'

const services: readonly { value: Trail; label: string }[] = [
  { value: 'wallet', label: 'Money' },
  { value: 'auth', label: 'Accounts' },
  { value: 'trade', label: 'Plans' },
  { value: 'payment-method', label: 'Methods' },
]

/** What staff did, hash-chained and never changed [D-O3]. */
export function AuditTable() {
  const [service, setService] = useState<Trail>('wallet')
  const [text, setText] = useState('')
  const query = useAuditTrail(service)
  const csv = useAuditCsv()
  const staffName = useStaffName()
  const wanted = text.trim().toLowerCase()
  const matches = (row: AuditRow) =>
    !wanted || [row.action, staffName(row.actorId), row.actorRole, row.subjectId, row.memberId ?? '', row.address].some((part) => part.toLowerCase().includes(wanted))

  const download = () =>
    csv.mutate(service, {
      onSuccess: (file) => {
        const link = document.createElement('a')
        link.href = URL.createObjectURL(file)
        link.download = `audit-${service}.csv`
        link.click()
        URL.revokeObjectURL(link.href)
      },
    })

  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
        <Segmented legend="Which trail" options={services} value={service} onChange={setService} />
        <div className="min-w-56 flex-1">
          <TextField
            label="Show only"
            type="search"
            placeholder="An action, a person, an id"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <Button variant="secondary" busy={csv.isPending} onClick={download} icon={<Download aria-hidden className="size-4.5" />}>
          CSV
        </Button>
      </div>
      <Card className="overflow-hidden">
        <Loaded query={{ ...query, data: query.rows }} label="Loading the trail" count={8}>
          {(rows) => <Rows rows={rows.filter(matches)} staffName={staffName} />}
        </Loaded>
        <MoreButton query={query} />
      </Card>
    </div>
  )
}

function Rows({ rows, staffName }: { rows: readonly AuditRow[]; staffName: (id: string) => string }) {
  if (rows.length === 0) return <EmptyState icon={ScrollText} title="Nothing matches" />
  return (
    <Table label="Audit trail" columns={['When', 'Who', 'What', 'About', 'From', 'Change']}>
      {rows.map((row) => (
        <tr key={row.id}>
          <Cell className="tabular whitespace-nowrap text-ink-faint">{row.at && formatMoment(row.at)}</Cell>
          <Cell className="whitespace-nowrap">
            <span className="inline-block font-medium first-letter:uppercase">{staffName(row.actorId)}</span>
            <span className="block text-ink-faint">{row.actorRole}</span>
          </Cell>
          <Cell className="font-mono whitespace-nowrap">{row.action}</Cell>
          <Cell className="whitespace-nowrap">
            <Subject row={row} />
          </Cell>
          <Cell className="tabular whitespace-nowrap text-ink-faint">{row.address}</Cell>
          <Cell className="min-w-72">
            <Difference row={row} />
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

const link = 'tabular text-accent-text hover:underline'

function Subject({ row: { action, subjectId, memberId } }: { row: AuditRow }) {
  const isTransaction = /^(deposit|course|fee|withdrawal)\.(approve|reject|paid)$/.test(action)
  return (
    <>
      {isTransaction ? (
        <Link to={adminPaths.review(subjectId)} className={link}>
          TNX-{subjectId.slice(0, 6)}
        </Link>
      ) : (
        <span className="tabular text-ink-soft" title={subjectId}>
          {subjectId.slice(0, 8)}…
        </span>
      )}
      {memberId && (
        <Link to={adminPaths.member(memberId)} className={`block ${link}`}>
          Member
        </Link>
      )}
    </>
  )
}

const isBlank = (value: unknown) => value === null || value === undefined || value === ''

/** Counted up with every change, or said elsewhere in the row. */
const untold = new Set(['revision', 'kind', 'approvedBy'])

/** The fields that differ, in words; the whole row and its hash on demand. */
function Difference({ row: { id, before, after, hash } }: { row: AuditRow }) {
  const changed = Object.entries(after ?? {}).filter(
    ([name, value]) => !untold.has(name) && !isBlank(value) && JSON.stringify(before?.[name]) !== JSON.stringify(value),
  )
  const told = changed.slice(0, 4).map(([name, value]) => fieldInWords(name, value))
  return (
    <details>
      <summary className="wrap-anywhere">{told.join(', ').slice(0, 140) || 'Details'}</summary>
      <pre className="mt-2 max-w-96 overflow-x-auto rounded-md bg-sunken p-3 font-mono text-xs">
        {JSON.stringify({ row: id, before: before ?? null, after: after ?? null, hash }, null, 2)}
      </pre>
    </details>
  )
}
