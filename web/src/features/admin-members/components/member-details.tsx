import { Snowflake, Sun } from 'lucide-react'
import { useSearchParams } from 'react-router'
import { Amount } from '@/components/amount'
import { Avatar } from '@/components/avatar'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { PageTitle } from '@/components/page'
import { Segmented } from '@/components/segmented'
import type { User } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'
import { useFoundTransactions } from '@/features/admin/api/find-transactions'
import { useFreeze, useMemberPage } from '@/features/admin/api/members'
import { useMay } from '@/features/admin/permissions'
import { withParam } from '@/features/admin/use-typed-param'
import { CorrectionForm } from './correction-form'
import { LedgerEntries } from '@/features/admin/components/ledger-entries'
import { CsvButton } from '@/features/admin/components/csv-button'
import { Holds } from './holds'
import { Loaded } from '@/features/admin/components/loaded'
import { AccountBadge } from './member-search'
import { MoreButton } from '@/components/more-button'
import { NoteButton } from '@/features/admin/components/note-dialog'
import { MemberActivity, MemberSessions } from './member-activity'
import { TimeLine } from './time-line'
import { MemberFactor } from './member-factor'
import { Notes } from './notes'
import { TransactionTable } from '@/features/admin/components/transaction-table'

const tabs = [
  { value: 'overview', label: 'Overview' },
  { value: 'transactions', label: 'Transactions' },
  { value: 'ledger', label: 'Ledger' },
  { value: 'security', label: 'Security' },
] as const

type Tab = (typeof tabs)[number]['value']

function Tabs({ value, onChange }: { value: Tab; onChange: (value: Tab) => void }) {
  return <Segmented legend="Part of the page" options={tabs} value={value} onChange={onChange} />
}

/** Everything the house knows about a member. */
export function MemberDetails({ id }: { id: string }) {
  const query = useMemberPage(id)
  const may = useMay()
  const [params, setParams] = useSearchParams()
  const tab = tabs.find(({ value }) => value === params.get('tab'))?.value ?? 'overview'
  const setTab = (value: string) => setParams((now) => withParam(now, 'tab', value === 'overview' ? '' : value), { replace: true })
  return (
    <Loaded query={query} label="Loading the member" count={3} skeleton="h-40">
      {(page) => (
        <div className="space-y-5">
          <Head member={page.member} />
          <Balances member={page.member} />
          <Tabs value={tab} onChange={setTab} />
          {tab === 'transactions' && <Transactions id={id} />}
          {tab === 'ledger' && <LedgerEntries entries={page.entries} note="Latest entries, each with the balance after it" />}
          {tab === 'security' && (
            <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
              <MemberActivity id={id} />
              <div className="min-w-0 space-y-5">
                {page.secondFactor && <MemberFactor member={page.member} factor={page.secondFactor} />}
                <MemberSessions id={id} sessions={page.sessions} />
              </div>
            </div>
          )}
          {tab === 'overview' && (
            <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
              <TimeLine id={id} notes={page.notes} />
              <div className="min-w-0 space-y-5">
                <Holds memberId={id} holds={page.member.wallet?.holds ?? []} available={page.member.wallet?.balance} />
                {may('correctBalances') && !page.member.closedAt && <CorrectionForm memberId={id} wallet={page.member.wallet} />}
                <Notes memberId={id} notes={page.notes} />
              </div>
            </div>
          )}
        </div>
      )}
    </Loaded>
  )
}

function Head({ member }: { member: User }) {
  const may = useMay()
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-3">
      <Avatar src={member.image} name={member.name} className="size-14" />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <PageTitle title={member.name} className="min-w-0 text-xl font-semibold wrap-anywhere" />
          <AccountBadge member={member} />
        </div>
        <p className="text-sm break-words text-ink-soft">
          {member.email}
          {member.pendingEmail && ` (change to ${member.pendingEmail} requested)`} · {member.phone} · {member.country}
        </p>
        <p className="text-sm text-ink-faint">
          {member.createdAt && `Member since ${formatDay(member.createdAt)}`}
          {member.closedAt && ` · closed on ${formatDay(member.closedAt)}`}
          {member.hasPurchasedCourse && ' · owns the course'}
          {member.isWithdrawalPending && ' · withdrawal open'}
        </p>
      </div>
      {may('freeze') && !member.closedAt && <FreezeButton id={member.id} frozen={member.isFrozen} name={member.name} />}
    </header>
  )
}

function FreezeButton({ id, frozen, name }: { id: string; frozen: boolean; name: string }) {
  const freeze = useFreeze(id, frozen)
  const Icon = frozen ? Sun : Snowflake
  const verb = frozen ? 'Unfreeze' : 'Freeze'
  return (
    <NoteButton
      variant={frozen ? 'secondary' : 'danger'}
      icon={<Icon aria-hidden className="size-4.5" />}
      title={`${verb} ${name}`}
      explanation={
        frozen
          ? 'The member can move money again at once.'
          : 'Takes effect within seconds on every device. The member can still view the account, but cannot move money or change anything, and is informed by email.'
      }
      label="Reason"
      submitLabel={verb}
      action={freeze}
    >
      {verb}
    </NoteButton>
  )
}

function Balances({ member: { wallet } }: { member: User }) {
  const parts: [label: string, value: number | undefined][] = [
    ['Available', wallet?.balance],
    ['Held for a withdrawal', wallet?.held],
    ['Invested', wallet?.invested],
    ['Bonus', wallet?.bonus],
  ]
  // Both together, so that no place of the grid stays empty.
  if (wallet?.onHold || wallet?.owed) parts.push(['On hold', wallet.onHold ?? 0], ['Owed by the member', wallet.owed ?? 0])
  return (
    <dl
      className={cx(
        'grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line shadow-card',
        parts.length > 4 ? 'sm:grid-cols-3' : 'lg:grid-cols-4',
      )}
    >
      {parts.map(([label, value]) => (
        <div key={label} className="bg-surface px-4 py-3">
          <dt className="text-sm text-ink-faint">{label}</dt>
          <dd className="text-lg font-semibold">{value === undefined ? '–' : <Amount value={value} />}</dd>
        </div>
      ))}
    </dl>
  )
}

function Transactions({ id }: { id: string }) {
  const query = useFoundTransactions({ member: id })
  return (
    <Card className="overflow-hidden">
      <div className="flex items-center justify-between gap-4 px-4 pt-4 pb-1">
        <h2 className="text-base font-semibold">Transactions</h2>
        <CsvButton size="sm" url="/admin/transactions" filter={{ member: id }} name="solvane-transactions" aria-label="Transactions as CSV" />
      </div>
      <Loaded query={{ ...query, data: query.transactions }} label="Loading the transactions">
        {(rows) => (rows.length === 0 ? <p className="px-4 pt-1 pb-4 text-sm text-ink-faint">No transactions yet.</p> : <TransactionTable rows={rows} />)}
      </Loaded>
      <MoreButton query={query} />
    </Card>
  )
}
