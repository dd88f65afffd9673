import { CircleCheck, Download, ShieldAlert, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Amount } from '@/components/amount'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { Notice } from '@/components/notice'
import { formatSeconds } from '@/lib/durations'
import { useIntegrity } from '@/features/admin/api/get-integrity'
import { useDeadLetters, useReopenWithdrawals, useReplayDeadLetter } from '../api/integrity'
import { useDownloadJournal } from '../api/journal'
import type { DeadLetter, Integrity } from '@/features/admin/api/types'
import { formatMoment } from '@/lib/dates'
import { toCents } from '@/lib/money'
import { useMay } from '@/features/admin/permissions'
import { verdictOn } from '@/features/admin/verdict'
import { FaultList } from './fault-list'
import { HoldingsBoard } from './holdings-board'
import { CardHead } from '@/features/admin/components/card-head'
import { Loaded } from '@/features/admin/components/loaded'
import { ShownCsvButton } from '@/features/admin/components/shown-csv-button'
import { Cell, Table } from '@/features/admin/components/table'

/** Whether what is held covers what is owed, whether the ledger balances, and whether all events were published [D-T4] [D-R6] [D-I6]. */
export function SolvencyBoard() {
  const query = useIntegrity()
  return (
    <Loaded query={query} label="Checking the ledger" count={3} skeleton="h-32">
      {(books) => (
        <div className="space-y-5">
          <Verdict books={books} />
          {books.withdrawals.stopped && <Stopped withdrawals={books.withdrawals} />}
          {books.faults.length > 0 && <FaultList faults={books.faults} />}
          <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
            <div className="space-y-5">
              <OwedAndHeld books={books} />
              <Health books={books} />
            </div>
            <Books books={books} />
          </div>
          <HoldingsBoard />
          <DeadLetters />
          <Journal />
        </div>
      )}
    </Loaded>
  )
}

function Verdict({ books }: { books: Integrity }) {
  const { ok, title, text } = verdictOn(books)
  const Icon = ok ? CircleCheck : ShieldAlert
  return (
    <div role="status" className={cx('flex items-center gap-3 rounded-xl p-4', ok ? 'bg-positive-soft text-positive' : 'bg-negative-soft text-negative')}>
      <Icon aria-hidden className="size-6 shrink-0" />
      <div>
        <p className="font-semibold">{title}</p>
        <p className="text-sm">{text}</p>
      </div>
    </div>
  )
}

function Stopped({ withdrawals: { since, reason } }: { withdrawals: Integrity['withdrawals'] }) {
  const may = useMay()
  const reopen = useReopenWithdrawals()
  return (
    <Notice tone="caution" title={`Withdrawals are paused${since ? ` since ${formatMoment(since)}` : ''}`}>
      {reason && <p>{reason}</p>}
      <p>Resuming takes two people: one proposes, another confirms.</p>
      {may('reopenWithdrawals') && (
        <Button size="sm" className="mt-3" onClick={() => reopen.mutateAsync(null)}>
          Propose to resume
        </Button>
      )}
    </Notice>
  )
}

/** What the verdict is about. */
function OwedAndHeld({ books: { solvency } }: { books: Integrity }) {
  const left = (toCents(solvency.held) - toCents(solvency.owed)) / 100
  return (
    <Card className="p-4 sm:p-5">
      <h2 className="text-base font-semibold">Owed and held</h2>
      <dl className="mt-2 text-sm">
        <Sum label="Owed to members" value={solvency.owed} note="With the gains of open investments" strong />
        <Sum
          label="Held for members"
          value={solvency.held}
          note={solvency.observed ? 'As chains and documents show' : 'According to the ledger, with assets of plans'}
          danger={solvency.missing > 0 && 'Less is held than members are owed'}
          strong
        />
        <Sum label={left < 0 ? 'Missing' : 'Held beyond what is owed'} value={Math.abs(left)} />
      </dl>
    </Card>
  )
}

function Books({ books }: { books: Integrity }) {
  const { liabilities, owed, holdings, pool, trialBalance, drift } = books
  return (
    <Card className="p-4 sm:p-5">
      <h2 className="text-base font-semibold">Ledger</h2>
      <dl className="mt-2 text-sm">
        <Sum label="Available balances" value={liabilities.available} />
        <Sum label="Held for withdrawals" value={liabilities.held} />
        <Sum label="On hold" value={liabilities.onHold} />
        <Sum label="Invested" value={liabilities.invested} />
        <Sum label="Bonus" value={liabilities.bonus} />
        <Sum label="All accounts of members" value={liabilities.total} strong />
        <Sum label="Holdings according to the ledger" value={holdings} strong />
        {owed > 0 && <Sum label="Owed by members" value={owed} note="From reversed payments; not part of the holdings" />}
        {pool !== 0 && <Sum label="Investment pool" value={pool} note="Should be zero: gains come from the cash of their plan" />}
        <Sum label="Trial balance" value={trialBalance} danger={trialBalance !== 0 && 'Must be zero'} />
        <Sum label="Drift" value={drift} danger={drift !== 0 && 'Must be zero'} />
      </dl>
    </Card>
  )
}

/** `danger` says in words what the colour says too. */
type SumProps = { label: string; value: number; strong?: boolean; note?: string; danger?: string | false }

function Sum({ label, value, strong, note, danger }: SumProps) {
  return (
    <div
      className={cx(
        'flex items-baseline justify-between gap-4 border-b border-line py-2 last:border-b-0',
        strong && 'font-semibold',
        danger && 'text-negative',
      )}
    >
      <dt>
        {label}
        {note && <span className="block font-normal text-ink-faint">{note}</span>}
        {danger && (
          <span className="flex items-center gap-1.5 font-semibold">
            <TriangleAlert aria-hidden className="size-4 shrink-0" />
            {danger}
          </span>
        )}
      </dt>
      <dd>
        <Amount value={value} />
      </dd>
    </div>
  )
}

function Health({ books: { outboxOldestSeconds, deadLetters, withdrawals, checkedAt, ok } }: { books: Integrity }) {
  return (
    <Card className="p-4 sm:p-5">
      <h2 className="text-base font-semibold">Service</h2>
      <dl className="mt-2 text-sm">
        <Line label="Oldest unsent event" bad={outboxOldestSeconds > 60}>
          {outboxOldestSeconds > 0 ? formatSeconds(outboxOldestSeconds) : 'none'}
        </Line>
        <Line label="Unprocessable events" bad={deadLetters > 0}>
          {deadLetters}
        </Line>
        <Line label="Withdrawals" bad={withdrawals.stopped}>
          {withdrawals.stopped ? 'paused' : 'open'}
        </Line>
        {checkedAt && (
          <Line label="Last full verification" bad={!ok}>
            {formatMoment(checkedAt)}
          </Line>
        )}
      </dl>
    </Card>
  )
}

function Line({ label, bad, children }: { label: string; bad: boolean; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 border-b border-line py-2 last:border-b-0">
      <dt>{label}</dt>
      <dd className={cx('tabular font-medium', bad && 'text-negative')}>{children}</dd>
    </div>
  )
}

/** For auditors: every posting with its cause, to check the books elsewhere [D-R16]. */
function Journal() {
  const may = useMay()
  const download = useDownloadJournal()
  if (!may('seeJournal')) return null
  return (
    <Card className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 p-4 sm:p-5">
      <div className="min-w-0">
        <h2 className="text-base font-semibold">Journal</h2>
        <p className="text-sm text-ink-faint">All postings with their cause and entries, one JSON object per line.</p>
      </div>
      <Button variant="secondary" busyLabel="Downloading..." onClick={() => download.mutateAsync()} icon={<Download aria-hidden className="size-4.5" />}>
        Download
      </Button>
    </Card>
  )
}

const letterColumns = {
  at: (one: DeadLetter) => one.at,
  queue: (one: DeadLetter) => one.queue,
  event: (one: DeadLetter) => one.key,
  reason: (one: DeadLetter) => one.reason,
}

/** Left out while there are none: their count stands above in any case. */
function DeadLetters() {
  const { data } = useDeadLetters()
  if (!data?.length) return null
  return (
    <Card className="overflow-hidden">
      <CardHead title="Unprocessable events">
        <ShownCsvButton size="sm" columns={letterColumns} rows={data} name="solvane-unprocessable-events" aria-label="Unprocessable events as CSV" />
      </CardHead>
      <Table label="Unprocessable events" columns={['Time', 'Queue', 'Event', 'Reason', '']}>
        {data.map((letter) => (
          <DeadLetterRow key={letter.id} letter={letter} />
        ))}
      </Table>
    </Card>
  )
}

function DeadLetterRow({ letter: { id, at, queue, key, reason } }: { letter: DeadLetter }) {
  const may = useMay()
  const replay = useReplayDeadLetter()
  return (
    <tr>
      <Cell className="whitespace-nowrap text-ink-faint">{at && formatMoment(at)}</Cell>
      <Cell className="font-mono whitespace-nowrap">{queue}</Cell>
      <Cell className="font-mono whitespace-nowrap">{key}</Cell>
      <Cell className="min-w-64 break-words">{reason}</Cell>
      <Cell right>
        {may('replayDeadLetters') && (
          <Button size="sm" variant="secondary" onClick={() => replay.mutateAsync(id)}>
            Replay
          </Button>
        )}
      </Cell>
    </tr>
  )
}
