import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { Amount } from '@/components/amount'
import { Card } from '@/components/card'
import { Segmented } from '@/components/segmented'
import { formatDay } from '@/lib/dates'
import { formatSeconds } from '@/lib/durations'
import { sumCents, toDollars } from '@/lib/money'
import { useStaffName } from '@/features/admin/api/staff'
import type { Figures } from '@/features/admin/api/types'
import type { Columns } from '@/features/admin/csv'
import { AsOf } from '@/features/admin/components/as-of'
import { CardHead } from '@/features/admin/components/card-head'
import { kindName } from '@/features/admin/components/kind-badge'
import { Loaded } from '@/features/admin/components/loaded'
import { ShownCsvButton } from '@/features/admin/components/shown-csv-button'
import { Cell, Table } from '@/features/admin/components/table'
import { withParam } from '@/features/admin/use-typed-param'
import { useFigures } from '../api/get-figures'

const periods = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const

type Day = Figures['days'][number]

/** Of the file, by the names of the contract. */
const columns = {
  day: (one: Day) => one.day,
  in: (one: Day) => one.in,
  out: (one: Day) => one.out,
  feeRevenue: (one: Day) => one.feeRevenue,
  courseRevenue: (one: Day) => one.courseRevenue,
  courseSales: (one: Day) => one.courseSales,
}

type Waiting = Figures['waiting'][number]
const waitingColumns = {
  request: (one: Waiting) => kindName(one.kind),
  decision: (one: Waiting) => decisions[one.decision] ?? one.decision,
  count: (one: Waiting) => one.count,
  medianSeconds: (one: Waiting) => one.medianSeconds,
  ninetyPercentWithinSeconds: (one: Waiting) => one.p90Seconds,
}

type Backlog = Figures['open'][number]
const openColumns = {
  request: (one: Backlog) => kindName(one.kind),
  upTo1Hour: (one: Backlog) => one.withinHour,
  upTo4Hours: (one: Backlog) => one.withinFourHours,
  upTo1Day: (one: Backlog) => one.withinDay,
  older: (one: Backlog) => one.older,
}

type Person = Figures['people'][number]
const peopleColumns = {
  person: (one: Person) => one.staffName ?? one.staffId,
  approved: (one: Person) => one.approved,
  rejected: (one: Person) => one.rejected,
  paidOut: (one: Person) => one.paid,
  medianWaitSeconds: (one: Person) => one.medianSeconds,
}

/** What the business moved and how fast requests were handled. */
export function FiguresBoard() {
  const [params, setParams] = useSearchParams()
  const days = periods.find(({ value }) => value === params.get('days'))?.value ?? '30'
  const query = useFigures(days)
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Segmented
          legend="Period"
          options={periods}
          value={days}
          onChange={(value) => setParams((now) => withParam(now, 'days', value === '30' ? '' : value), { replace: true })}
        />
      </div>
      <Loaded query={query} label="Loading the figures" count={3} skeleton="h-40">
        {(figures) => (
          <>
            <AsOf at={figures.asOf} />
            <Totals days={figures.days} />
            <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-2">
              <WaitingTimes waiting={figures.waiting} />
              <Open open={figures.open} />
              <People people={figures.people} />
              <Days days={figures.days} />
            </div>
          </>
        )}
      </Loaded>
    </div>
  )
}

function Totals({ days }: { days: Figures['days'] }) {
  const sum = (of: (day: Day) => number) => toDollars(sumCents(days.map(of)))
  const sales = days.reduce((total, { courseSales }) => total + courseSales, 0)
  const parts = [
    { label: 'In', value: sum((day) => day.in) },
    { label: 'Out', value: sum((day) => day.out) },
    { label: 'Fees', value: sum((day) => day.feeRevenue) },
    { label: `Course (${sales} sold)`, value: sum((day) => day.courseRevenue) },
  ]
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line shadow-card lg:grid-cols-4">
      {parts.map(({ label, value }) => (
        <div key={label} className="bg-surface px-4 py-3">
          <dt className="text-sm text-ink-faint">{label}</dt>
          <dd className="text-lg font-semibold">
            <Amount value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

const decisions: Record<string, string> = { approved: 'approved', rejected: 'rejected', paid: 'paid out' }

function WaitingTimes({ waiting }: { waiting: Figures['waiting'] }) {
  return (
    <Section title="Waiting times" columns={waitingColumns} rows={waiting} empty="Nothing was decided in this period.">
      <Table label="Waiting times" columns={['Request', { name: 'Count', right: true }, { name: 'Median', right: true }, { name: '90% within', right: true }]}>
        {waiting.map(({ kind, decision, count, medianSeconds, p90Seconds }) => (
          <tr key={`${kind} ${decision}`}>
            <Cell>{`${kindName(kind)}, ${decisions[decision] ?? decision}`}</Cell>
            <Cell right className="tabular">{count}</Cell>
            <Cell right className="tabular whitespace-nowrap">{formatSeconds(medianSeconds)}</Cell>
            <Cell right className="tabular whitespace-nowrap">{formatSeconds(p90Seconds)}</Cell>
          </tr>
        ))}
      </Table>
    </Section>
  )
}

function Open({ open }: { open: Figures['open'] }) {
  return (
    <Section title="Open now, by age" columns={openColumns} rows={open} empty="Nothing is open.">
      <Table
        label="Open now, by age"
        columns={['Request', { name: 'Up to 1 h', right: true }, { name: 'Up to 4 h', right: true }, { name: 'Up to 1 d', right: true }, { name: 'Older', right: true }]}
      >
        {open.map(({ kind, withinHour, withinFourHours, withinDay, older }) => (
          <tr key={kind}>
            <Cell>{kindName(kind)}</Cell>
            <Cell right className="tabular">{withinHour}</Cell>
            <Cell right className="tabular">{withinFourHours}</Cell>
            <Cell right className="tabular">{withinDay}</Cell>
            <Cell right className={older > 0 ? 'tabular font-semibold text-negative' : 'tabular'}>{older}</Cell>
          </tr>
        ))}
      </Table>
    </Section>
  )
}

function People({ people }: { people: Figures['people'] }) {
  const staffName = useStaffName()
  return (
    <Section title="Decisions by person" columns={peopleColumns} rows={people} empty="Nothing was decided in this period.">
      <Table
        label="Decisions by person"
        columns={['Person', { name: 'Approved', right: true }, { name: 'Rejected', right: true }, { name: 'Paid out', right: true }, { name: 'Median wait', right: true }]}
      >
        {people.map(({ staffId, staffName: name, approved, rejected, paid, medianSeconds }) => (
          <tr key={staffId}>
            <Cell>
              <span className="inline-block first-letter:uppercase">{staffName(staffId, name)}</span>
            </Cell>
            <Cell right className="tabular">{approved}</Cell>
            <Cell right className="tabular">{rejected}</Cell>
            <Cell right className="tabular">{paid}</Cell>
            <Cell right className="tabular whitespace-nowrap">{formatSeconds(medianSeconds)}</Cell>
          </tr>
        ))}
      </Table>
    </Section>
  )
}

function Days({ days }: { days: Figures['days'] }) {
  return (
    <Section title="By day" columns={columns} rows={days} empty="Nothing moved in this period.">
      <Table
        label="By day"
        columns={['Day', { name: 'In', right: true }, { name: 'Out', right: true }, { name: 'Fees', right: true }, { name: 'Course', right: true }]}
      >
        {days.toReversed().map((day) => (
          <tr key={day.day}>
            <Cell className="whitespace-nowrap">{formatDay(`${day.day}T12:00:00Z`)}</Cell>
            <Cell right><Amount value={day.in} /></Cell>
            <Cell right><Amount value={day.out} /></Cell>
            <Cell right><Amount value={day.feeRevenue} /></Cell>
            <Cell right><Amount value={day.courseRevenue} /></Cell>
          </tr>
        ))}
      </Table>
    </Section>
  )
}

type SectionProps<Row> = { title: string; columns: Columns<Row>; rows: readonly Row[]; empty: string; children: ReactNode }

function Section<Row>({ title, columns, rows, empty, children }: SectionProps<Row>) {
  const isEmpty = rows.length === 0
  return (
    <Card className="overflow-hidden">
      <CardHead title={title}>
        {!isEmpty && (
          <ShownCsvButton size="sm" columns={columns} rows={rows} name={`solvane-${title.toLowerCase().replace(/\W+/g, '-')}`} aria-label={`${title} as CSV`} />
        )}
      </CardHead>
      {isEmpty ? <p className="px-4 pt-1 pb-4 text-sm text-ink-faint">{empty}</p> : children}
    </Card>
  )
}
