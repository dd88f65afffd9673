import { ScrollText } from 'lucide-react'
import { Link } from 'react-router'
import { Card } from '@/components/card'
import { EmptyState } from '@/components/states'
import { trails, useAuditTrail } from '../api/audit'
import { useStaffName } from '@/features/admin/api/staff'
import type { AuditRow } from '@/features/admin/api/types'
import { formatMoments } from '@/lib/dates'
import { adminPaths } from '@/features/admin/paths'
import { fieldInWords } from '@/features/admin/proposals'
import { subjectOf, verbOf } from '@/features/admin/sentences'
import { useAuditFilter } from '../use-audit-filter'
import { AuditFilters } from './audit-filters'
import { Loaded } from '@/features/admin/components/loaded'
import { MoreButton } from '@/components/more-button'
import { Cell, Table } from '@/features/admin/components/table'

/** The audit log of staff actions [D-O3]. */
export function AuditTable() {
  const filter = useAuditFilter()
  const query = useAuditTrail(filter)
  return (
    <div className="space-y-4">
      <AuditFilters filter={filter} />
      {query.missing.length > 0 && <p className="text-sm text-caution">{`Not answered in time: ${query.missing.map((service) => trailName(service) ?? service).join(', ')}. Their entries are not shown.`}</p>}
      <Card className="overflow-hidden">
        <Loaded query={{ ...query, data: query.rows }} label="Loading the audit log" count={8}>
          {(rows) => <Rows rows={rows} />}
        </Loaded>
        <MoreButton query={query} />
      </Card>
    </div>
  )
}

const trailName = (service: string) => trails.find(({ value }) => value === service)?.label

/** The role of actions that a service took by itself. */
const SYSTEM = 'system'

function Rows({ rows }: { rows: readonly AuditRow[] }) {
  const staffName = useStaffName()
  if (rows.length === 0) return <EmptyState icon={ScrollText} title="No matching entries" />
  const moments = formatMoments(rows.map(({ at }) => at ?? ''))
  return (
    <Table label="Audit log" columns={['Time', 'What happened', 'Change']}>
      {rows.map((row, index) => (
        <tr key={`${row.service} ${row.id}`}>
          <Cell className="tabular whitespace-nowrap text-ink-faint">{row.at && moments[index]}</Cell>
          <Cell className="min-w-64">
            <p className="first-letter:uppercase">
              <span className="inline-block font-medium first-letter:uppercase">{row.actorRole === SYSTEM ? 'The system' : staffName(row.actorId)}</span>{' '}
              {verbOf(row.action)} <Subject row={row} />
            </p>
            <p className="tabular text-ink-faint">{[row.actorRole === SYSTEM ? '' : row.actorRole, row.address, trailName(row.service)].filter(Boolean).join(' · ')}</p>
          </Cell>
          <Cell className="min-w-56">
            <Difference row={row} />
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

const link = 'tabular text-accent-text underline'

function Subject({ row: { action, actorId, subjectId, memberId } }: { row: AuditRow }) {
  const staffName = useStaffName()
  switch (subjectOf(action)) {
    case 'transaction':
      return (
        <>
          <Link to={adminPaths.review(subjectId)} className={link}>
            TNX-{subjectId.slice(0, 6)}
          </Link>{' '}
          {memberId && <Member id={memberId}>of a member</Member>}
        </>
      )
    case 'proposal':
      return (
        <>
          <Link to={adminPaths.proposals} className={link}>
            in a proposal
          </Link>{' '}
          {memberId && <Member id={memberId}>for a member</Member>}
        </>
      )
    case 'member':
      return <Member id={memberId ?? subjectId}>a member</Member>
    case 'staff':
      return subjectId !== actorId && `(${staffName(subjectId)})`
    case 'version':
      return `(version ${subjectId})`
    default:
      return memberId && <Member id={memberId}>for a member</Member>
  }
}

const Member = ({ id, children }: { id: string; children: string }) => (
  <Link to={adminPaths.member(id)} className={link}>
    {children}
  </Link>
)

const isBlank = (value: unknown) => value === null || value === undefined || value === ''

/** Counted up with every change, or said elsewhere in the row. */
const untold = new Set(['revision', 'kind', 'approvedBy', 'by', 'subjectId', 'proposedBy', 'userId', 'proposalId', 'plan_id', 'planId'])

const isNested = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The facts of a row, those that belong together side by side with the others. */
const factsOf = (facts: Record<string, unknown> | null | undefined): Record<string, unknown> =>
  Object.fromEntries(Object.entries(facts ?? {}).flatMap(([name, value]) => (isNested(value) ? Object.entries(value) : [[name, value]])))

/** A hash as a row shows it. */
const shortened = (value: unknown) => (typeof value === 'string' && /^[0-9a-f]{40,}$/.test(value) ? `${value.slice(0, 8)}…` : value)

/** The fields that differ, in words; the whole row and its hash on demand. */
function Difference({ row: { id, service, action, subjectId, before, after, hash } }: { row: AuditRow }) {
  const staffName = useStaffName()
  const known = factsOf(before)
  const changed = Object.entries(factsOf(after)).filter(
    ([name, value]) => !untold.has(name) && !isBlank(value) && JSON.stringify(known[name]) !== JSON.stringify(value),
  )
  const shown = (name: string, value: unknown) => (name === 'owner' ? staffName(String(value)) : shortened(value))
  const told = [...new Set(changed.map(([name, value]) => fieldInWords(name, shown(name, value))))].slice(0, 4)
  return (
    <details>
      <summary className="wrap-anywhere">{told.join(', ').slice(0, 140) || 'Details'}</summary>
      <pre className="mt-2 max-w-96 overflow-x-auto rounded-md bg-sunken p-3 font-mono text-xs">
        {JSON.stringify({ log: service, row: id, action, subject: subjectId, before: before ?? null, after: after ?? null, hash }, null, 2)}
      </pre>
    </details>
  )
}
