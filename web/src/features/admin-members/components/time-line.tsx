import { Ban, Banknote, NotebookPen, ShieldCheck, UserCog } from 'lucide-react'
import { Link } from 'react-router'
import { activitySentence } from '@/components/activity-list'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { Skeletons } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import { formatMoment } from '@/lib/dates'
import { formatMoney } from '@/lib/money'
import { usePagedQuery } from '@/lib/paged-query'
import { useFoundTransactions } from '@/features/admin/api/find-transactions'
import { adminKeys } from '@/features/admin/api/keys'
import { useMemberActivity } from '@/features/admin/api/members'
import { useStaffName } from '@/features/admin/api/staff'
import type { AuditRow, MemberPage, StaffTransaction } from '@/features/admin/api/types'
import type { SecurityEvent } from '@/lib/api-types'
import { adminPaths } from '@/features/admin/paths'
import { useMay } from '@/features/admin/permissions'
import { subjectOf, verbOf } from '@/features/admin/sentences'
import { joinedTimeLine, sourcesToRead, withoutRepetitions, type Happening } from '../time-line'

const icons = { money: Banknote, security: ShieldCheck, staff: UserCog, note: NotebookPen }

const statuses = { pending: 'is pending', success: 'succeeded', failed: 'failed' } as const

const money = ({ id, reference, title, amount, status, createdAt }: StaffTransaction): Happening => ({
  id: `money ${id}`,
  at: createdAt,
  kind: 'money',
  text: `${title === 'Course' ? 'Course payment' : title} of ${formatMoney(amount)} ${statuses[status]}`,
  detail: reference,
  to: adminPaths.review(id),
})

const security = ({ kind, refused, at, device, addressBlock }: SecurityEvent, index: number): Happening => ({
  id: `security ${at} ${index}`,
  at: at ?? '',
  kind: 'security',
  text: activitySentence(kind, refused),
  detail: [device, addressBlock].filter(Boolean).join(' · '),
  isRefused: refused,
})

/** What staff did to a member; only who may read the audit log sees it. */
function useActs(member: string) {
  const may = useMay()
  const params = { service: 'all', member }
  const enabled = may('seeAudit')
  const { pages, ...query } = usePagedQuery<{ rows: AuditRow[]; nextCursor?: string | null; missing?: string[] }>(adminKeys.audit(params), '/admin/audit', { params, enabled, silent: true })
  return { ...query, rows: enabled ? pages?.flatMap((page) => page.rows) : [], isIncomplete: (pages?.at(-1)?.missing ?? []).length > 0 }
}

/** Money, security and what staff did as one time line, in sentences. */
export function TimeLine({ id, notes }: { id: string; notes: MemberPage['notes'] }) {
  const staffName = useStaffName()
  const transactions = useFoundTransactions({ member: id })
  const activity = useMemberActivity(id)
  const acts = useActs(id)
  const name = (actor: string, role: string) => (role === 'system' ? 'The system' : staffName(actor))
  const act = (row: AuditRow): Happening => ({
    id: `staff ${row.service} ${row.id}`,
    at: row.at ?? '',
    kind: 'staff',
    text: `${name(row.actorId, row.actorRole)} ${verbOf(row.action)}${subjectOf(row.action) === 'member' ? ' this member' : ''}`,
    ...(subjectOf(row.action) === 'transaction'
      ? { detail: `TNX-${row.subjectId.slice(0, 6)}`, to: adminPaths.review(row.subjectId) }
      : { detail: row.actorRole }),
  })
  const note = ({ authorId, authorName, at, text }: MemberPage['notes'][number]): Happening => ({
    id: `note ${authorId} ${at}`,
    at: at ?? '',
    kind: 'note',
    text: `${staffName(authorId, authorName)} noted: ${text}`,
  })
  const queries = [transactions, activity, acts]
  const sources = [
    { items: (transactions.transactions ?? []).map(money), hasMore: transactions.hasNextPage },
    { items: (activity.events ?? []).map(security), hasMore: activity.hasNextPage },
    { items: (acts.rows ?? []).filter(({ action }) => action !== 'member.note').map(act), hasMore: acts.hasNextPage },
    { items: notes.map(note).toSorted((one, other) => other.at.localeCompare(one.at)), hasMore: false },
  ]
  const failed = queries.find(({ error }) => error)
  if (failed) return <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} busy={failed.isFetching} />
  if (queries.some(({ isLoading }) => isLoading)) return <Skeletons count={6} className="h-14" label="Loading the time line" />
  const shown = withoutRepetitions(joinedTimeLine(sources))
  const due = sourcesToRead(sources)
  const readOn = () => queries.forEach((query, index) => due[index] && void query.fetchNextPage())
  return (
    <Card className="overflow-hidden">
      <h2 className="px-4 pt-4 pb-1 text-base font-semibold">What happened</h2>
      {acts.isIncomplete && <p className="px-4 pt-1 pb-2 text-sm text-caution">Some staff actions could not be loaded.</p>}
      {shown.length === 0 && <p className="px-4 pt-1 pb-4 text-sm text-ink-faint">Nothing yet.</p>}
      <ol className="divide-y divide-line text-sm">
        {shown.map((one) => (
          <Line key={one.id} one={one} />
        ))}
      </ol>
      {due.some(Boolean) && (
        <div className="border-t border-line p-3 text-center">
          <Button variant="secondary" size="sm" busy={queries.some(({ isFetchingNextPage }) => isFetchingNextPage)} onClick={readOn}>
            Show more
          </Button>
        </div>
      )}
    </Card>
  )
}

function Line({ one: { at, kind, text, detail, to, isRefused, before } }: { one: Happening }) {
  const Icon = isRefused ? Ban : icons[kind]
  return (
    <li className="flex items-start gap-3 px-4 py-2.5">
      <Icon aria-hidden className={cx('mt-0.5 size-4.5 shrink-0', isRefused ? 'text-negative' : 'text-ink-faint')} />
      <div className="min-w-0 flex-1">
        <p className={cx('break-words whitespace-pre-wrap first-letter:uppercase', isRefused ? 'text-negative' : 'text-ink')}>{text}</p>
        <p className="tabular text-xs text-ink-faint">
          <span>{at && formatMoment(at)}</span>
          {before && <span>{`, ${before.length + 1} times since ${formatMoment(before.at(-1) ?? at)}`}</span>}
          {detail && <span>{' · '}</span>}
          {detail && (to ? <Link to={to} className="text-accent-text underline">{detail}</Link> : <span>{detail}</span>)}
        </p>
      </div>
    </li>
  )
}
