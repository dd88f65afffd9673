import { useState } from 'react'
import { Amount } from '@/components/amount'
import { Button, CancelButton } from '@/components/button'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { Dialog } from '@/components/dialog'
import { Age } from '@/features/admin/components/age'
import { useMay } from '@/features/admin/permissions'
import { formatAsset } from '@/lib/units'
import { useApproveProven, useProven, type Outcome, type Proven } from '../api/approve-proven'

/** Deposits that the chain proves to the unit stand first, and can be approved as a set that was looked at [D-Q5]. */
export function ProvenDeposits() {
  const isAllowed = useMay()('decide')
  const proven = useProven()
  const found = isAllowed ? proven : []
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [set, setSet] = useState<Proven[]>([])
  if (found.length === 0 && set.length === 0) return null
  const toggle = (id: string) => setChosen((before) => (before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id])))
  const selected = found.filter(({ transaction }) => chosen.has(transaction.id))
  return (
    <Card className="overflow-hidden">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-b border-line px-4 py-3">
        <div>
          <h2 className="text-base font-semibold">Exact and final deposits</h2>
          <p className="text-sm text-ink-faint">The chain proves the amount, and nothing on the checklist needs attention.</p>
        </div>
        <Button size="sm" onClick={() => setSet(selected.length > 0 ? selected : found)}>
          {selected.length > 0 ? `Approve ${selected.length} selected` : found.length === 1 ? 'Approve the proven deposit' : `Approve all ${found.length} proven`}
        </Button>
      </div>
      <details className="group text-sm">
        <summary className="cursor-pointer px-4 py-2.5 font-medium text-accent-text group-open:border-b group-open:border-line">Choose among them</summary>
        <ul className="divide-y divide-line">
          {found.map((one) => (
            <li key={one.transaction.id}>
              <label className="grid min-h-12 cursor-pointer grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2 hover:bg-sunken/60">
                <input type="checkbox" className="size-4.5 accent-accent" checked={chosen.has(one.transaction.id)} onChange={() => toggle(one.transaction.id)} />
                <Facts one={one} />
                <span className="text-end">
                  <Amount value={one.transaction.amount} className="block font-semibold" />
                  <Age since={one.transaction.createdAt} />
                </span>
              </label>
            </li>
          ))}
        </ul>
      </details>
      <Approve set={set} onClose={() => (setSet([]), setChosen(new Set()))} />
    </Card>
  )
}

function Facts({ one: { transaction, payment } }: { one: Proven }) {
  return (
    <span className="min-w-0">
      <span className="block truncate font-medium text-ink">{transaction.user.name}</span>
      <span className="tabular block truncate text-xs text-ink-faint">
        {transaction.reference} · {formatAsset(payment)} on <span className="capitalize">{payment.chain}</span>, final
      </span>
    </span>
  )
}

/** Lists the selected deposits with their evidence, and afterwards the result of each. */
function Approve({ set, onClose }: { set: Proven[]; onClose: () => void }) {
  const approve = useApproveProven()
  const outcomes = approve.data
  const close = () => (approve.reset(), onClose())
  const noun = set.length === 1 ? 'deposit' : `${set.length} deposits`
  return (
    <Dialog
      open={set.length > 0}
      onClose={close}
      title={outcomes ? 'Result' : `Approve ${set.length === 1 ? 'this' : 'these'} ${noun}?`}
      footer={
        outcomes ? (
          <Button onClick={close}>Done</Button>
        ) : (
          <>
            <CancelButton onClick={close} />
            <Button busyLabel="Approving..." onClick={() => approve.mutateAsync(set)}>
              Approve {noun}
            </Button>
          </>
        )
      }
    >
      {!outcomes && <p className="text-sm">Each is credited by itself. One whose evidence changed meanwhile is refused, and the others go on.</p>}
      <ul className="mt-3 max-h-80 divide-y divide-line overflow-y-auto text-sm">
        {set.map((one) => (
          <Line key={one.transaction.id} one={one} outcome={outcomes?.find(({ id }) => id === one.transaction.id)} />
        ))}
      </ul>
    </Dialog>
  )
}

function Line({ one, outcome }: { one: Proven; outcome?: Outcome }) {
  return (
    <li className="py-2">
      <span className="flex items-center justify-between gap-4">
        <Facts one={one} />
        <Amount value={one.transaction.amount} className="font-semibold text-ink" />
      </span>
      {outcome ? (
        <p className={cx('font-medium', outcome.ok ? 'text-positive' : 'text-negative')}>{outcome.text}</p>
      ) : (
        <p className="font-mono text-xs break-all text-ink-faint">
          {one.payment.txid}, output {one.payment.index}
        </p>
      )}
    </li>
  )
}
