import { Inbox } from 'lucide-react'
import { Link, useSearchParams } from 'react-router'
import { Badge } from '@/components/badge'
import { Card } from '@/components/card'
import { MoreButton } from '@/components/more-button'
import { Segmented } from '@/components/segmented'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { useStaffName } from '@/features/admin/api/staff'
import type { StaffCase } from '@/features/admin/api/types'
import { CsvButton } from '@/features/admin/components/csv-button'
import { adminPaths } from '@/features/admin/paths'
import { useNow } from '@/features/admin/use-now'
import { withParam } from '@/features/admin/use-typed-param'
import { states, subjectText, topics } from '@/lib/case-words'
import { formatMoment } from '@/lib/dates'
import { useMember } from '@/lib/session'
import { filterOf, useOwner, useOwnWaiting, useStaffCases } from '../api/cases'
import { dueOf } from '../due'

const filters = [
  { value: 'open', label: 'To answer' },
  { value: 'due', label: 'Overdue' },
  { value: 'mine', label: 'Mine' },
  { value: 'unowned', label: 'Without owner' },
  { value: 'complaints', label: 'Complaints' },
] as const

type Filter = (typeof filters)[number]['value']

/** The inbox: which cases wait, since when, until when, and whose they are [D-M8]. */
export function CaseInbox() {
  const [params, setParams] = useSearchParams()
  const filter = filters.find(({ value }) => value === params.get('filter'))?.value ?? 'open'
  const member = params.get('member') ?? ''
  const own = useOwnWaiting()
  const query = useStaffCases(filter, member)
  const { cases, isPending, isFetching, error, refetch } = query
  const choose = (value: Filter) => setParams((now) => withParam(withParam(now, 'member', ''), 'filter', value), { replace: true })
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <Segmented legend="Which cases" options={filters.map((one) => (one.value === 'mine' && own > 0 ? { ...one, label: `Mine (${own})` } : one))} value={filter} onChange={choose} />
        <CsvButton url="/admin/cases" filter={filterOf(filter, member)} name="solvane-cases" aria-label="Cases as CSV" />
      </div>
      <Card className="overflow-hidden">
        {isPending ? (
          <div className="space-y-2 p-4">
            <Skeletons count={5} className="h-12" label="Loading the cases" />
          </div>
        ) : !cases ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
        ) : cases.length === 0 ? (
          <EmptyState icon={Inbox} title="No cases here" description="Nothing of this kind waits." />
        ) : (
          <ul className="divide-y divide-line text-sm">
            {cases.map((one) => (
              <Row key={one.id} case={one} />
            ))}
          </ul>
        )}
        <MoreButton query={query} />
      </Card>
    </div>
  )
}

function Row({ case: one }: { case: StaffCase }) {
  const { id, number, topic, subject, memberId, memberName, state, complaintAt, createdAt } = one
  const { ownerId, ownerName, assignedBy, assignedByName } = useOwner(one)
  const me = useMember()
  const staffName = useStaffName()
  const due = dueOf(one)
  const isLate = useNow() > Date.parse(due ?? '9999-12-31')
  return (
    <li className="relative grid gap-x-4 gap-y-1 px-4 py-3 hover:bg-sunken sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_auto] sm:items-center">
      <span className="min-w-0">
        <Link to={adminPaths.case(id)} className="font-medium text-ink after:absolute after:inset-0">
          {`${number} · ${topics[topic]}`}
        </Link>
        <span className="block wrap-anywhere text-ink-faint">
          {[memberName ?? memberId.slice(0, 8), subject && subjectText(subject), `since ${formatMoment(createdAt)}`].filter(Boolean).join(' · ')}
        </span>
      </span>
      <span className="min-w-0 text-ink-soft first-letter:uppercase">
        {ownerId ? staffName(ownerId, ownerName) : 'No owner'}
        {due && <span className={isLate ? 'block font-medium text-negative' : 'block text-ink-faint'}>{`${isLate ? 'Late since' : 'Due'} ${formatMoment(due)}`}</span>}
      </span>
      <span className="flex flex-wrap gap-2">
        {assignedBy && ownerId === me.id && <Badge tone="accent">{`Handed to you by ${staffName(assignedBy, assignedByName)}`}</Badge>}
        {complaintAt && <Badge tone="negative">Complaint</Badge>}
        <Badge tone={states[state].tone}>{state === 'open' ? 'To answer' : states[state].label}</Badge>
      </span>
    </li>
  )
}
