import { useState } from 'react'
import { Amount } from '@/components/amount'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { MoneyField } from '@/components/field'
import { Form } from '@/components/form'
import { Segmented } from '@/components/segmented'
import { amountRefusal, parseCents } from '@/lib/amounts'
import { formatCents, plainDollars, sumCents, toCents, toDollars } from '@/lib/money'
import { useMember } from '@/lib/session'
import { undoable, usePlaceHold, useReleaseHold, type NewHold } from '@/features/admin/api/members'
import { useStaffName } from '@/features/admin/api/staff'
import type { Hold, HoldReason } from '@/features/admin/api/types'
import { formatMoment } from '@/lib/dates'
import { useMay } from '@/features/admin/permissions'
import { usePending, useReturned } from '@/features/admin/undo'

const reasons: readonly { value: HoldReason; label: string }[] = [
  { value: 'COMPLIANCE', label: 'Compliance' },
  { value: 'DISPUTE', label: 'Dispute' },
  { value: 'OTHER', label: 'Other' },
]

const reasonName = (code: string) => reasons.find(({ value }) => value === code)?.label ?? code

/** What is kept back of the balance, and a form to keep back more; releasing takes somebody else [D-B10]. */
export function Holds({ memberId, holds: known, available }: { memberId: string; holds: readonly Hold[]; available?: number }) {
  const may = useMay()
  const placed = usePending<NewHold>(undoable.hold(memberId))
  const released = new Set(usePending<Pick<Hold, 'id'>>(undoable.release(memberId)).map(({ id }) => id))
  const returned = useReturned<NewHold>(undoable.hold(memberId))
  if (known.length === 0 && !may('placeHold')) return null
  const holds = known.filter(({ id }) => !released.has(id))
  return (
    <Card className="p-4">
      <h2 className="text-base font-semibold">Holds</h2>
      {holds.length + placed.length === 0 ? (
        <p className="mt-1 text-sm text-ink-faint">No active holds.</p>
      ) : (
        <ul className="mt-1 divide-y divide-line text-sm">
          {holds.map((hold) => (
            <HoldRow key={hold.id} memberId={memberId} hold={hold} />
          ))}
          {placed.map(({ amount, reasonCode }, index) => (
            <li key={index} className="py-2.5">
              <p className="font-medium">
                <Amount value={amount} /> · {reasonName(reasonCode)}
              </p>
              <p className="text-ink-faint">Placed by you, just now</p>
            </li>
          ))}
        </ul>
      )}
      {may('placeHold') && (
        <HoldForm
          // What was undone or refused stands in the form again.
          key={returned ? `${returned.amount} ${returned.reasonCode}` : ''}
          memberId={memberId}
          begun={returned}
          available={available === undefined ? Infinity : toCents(available) - sumCents(placed.map(({ amount }) => amount))}
        />
      )}
    </Card>
  )
}

function HoldRow({ memberId, hold: { id, amount, reason, reasonCode, createdAt, placedBy, placedByName } }: { memberId: string; hold: Hold }) {
  const me = useMember()
  const may = useMay()
  const staffName = useStaffName()
  const release = useReleaseHold(memberId)
  const isOwn = placedBy === me.id
  const why = `own-hold-${id}`
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          <Amount value={amount} /> · {reasonName(reasonCode)}
        </p>
        <p className="text-ink-soft">Shown to the member: “{reason}”</p>
        <p className="text-ink-faint">
          {placedBy && `Placed by ${staffName(placedBy, placedByName)}`}
          {createdAt && `, ${formatMoment(createdAt)}`}
        </p>
        {isOwn && may('releaseHold') && (
          <p id={why} className="text-ink-faint">
            Another staff member has to release it.
          </p>
        )}
      </div>
      {may('releaseHold') && (
        <Button size="sm" variant="secondary" disabled={isOwn} aria-describedby={isOwn ? why : undefined} onClick={() => release({ id, amount })}>
          Release
        </Button>
      )}
    </li>
  )
}

type HoldFormProps = { memberId: string; begun?: NewHold; available: number }

function HoldForm({ memberId, begun, available }: HoldFormProps) {
  const place = usePlaceHold(memberId)
  const [amount, setAmount] = useState(begun ? plainDollars(toCents(begun.amount)) : '')
  const [reasonCode, setReasonCode] = useState<HoldReason>(begun?.reasonCode ?? 'COMPLIANCE')
  const [tried, setTried] = useState(false)
  const cents = parseCents(amount)
  const refusal = !cents
    ? (amountRefusal(amount, '25.00') ?? 'Enter an amount like 25.00')
    : cents > available
      ? `Insufficient balance: ${formatCents(available)} can be held`
      : undefined
  const submit = async () => {
    setTried(true)
    if (!cents || refusal || !(await place({ amount: toDollars(cents), reasonCode }))) return
    setAmount('')
    setTried(false)
  }
  return (
    <Form aria-label="Place a hold" onSubmit={submit} className="mt-3 space-y-4 border-t border-line pt-4">
      <Segmented legend="Reason for the hold" options={reasons} value={reasonCode} onChange={setReasonCode} />
      <MoneyField
        label="Amount to hold"
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
        error={tried ? refusal : undefined}
      />
      <Button type="submit" busyLabel="Holding...">
        Hold
      </Button>
      <p className="text-sm text-ink-faint">The amount leaves the available balance at once. The member sees the amount and the reason.</p>
    </Form>
  )
}
