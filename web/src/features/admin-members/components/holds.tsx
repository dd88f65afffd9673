import { useState } from 'react'
import { Amount } from '@/components/amount'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { MoneyField } from '@/components/field'
import { Form } from '@/components/form'
import { Segmented } from '@/components/segmented'
import { toApiError } from '@/lib/api-error'
import { amountRefusal, parseCents } from '@/lib/amounts'
import { toDollars } from '@/lib/money'
import { useMember } from '@/lib/session'
import { usePlaceHold, useReleaseHold } from '@/features/admin/api/members'
import { useStaffName } from '@/features/admin/api/staff'
import type { Hold, HoldReason } from '@/features/admin/api/types'
import { formatMoment } from '@/lib/dates'
import { useMay } from '@/features/admin/permissions'

const reasons: readonly { value: HoldReason; label: string }[] = [
  { value: 'COMPLIANCE', label: 'Compliance' },
  { value: 'DISPUTE', label: 'Dispute' },
  { value: 'OTHER', label: 'Other' },
]

/** What is kept back of the balance, and a form to keep back more; releasing takes somebody else [D-B10]. */
export function Holds({ memberId, holds }: { memberId: string; holds: readonly Hold[] }) {
  const may = useMay()
  if (holds.length === 0 && !may('placeHold')) return null
  return (
    <Card className="p-4">
      <h2 className="text-base font-semibold">Holds</h2>
      {holds.length === 0 ? (
        <p className="mt-1 text-sm text-ink-faint">No active holds.</p>
      ) : (
        <ul className="mt-1 divide-y divide-line text-sm">
          {holds.map((hold) => (
            <HoldRow key={hold.id} memberId={memberId} hold={hold} />
          ))}
        </ul>
      )}
      {may('placeHold') && <HoldForm memberId={memberId} />}
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
          <Amount value={amount} /> · {reasons.find(({ value }) => value === reasonCode)?.label ?? reasonCode}
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
        <Button size="sm" variant="secondary" disabled={isOwn} aria-describedby={isOwn ? why : undefined} onClick={() => release.mutateAsync(id)}>
          Release
        </Button>
      )}
    </li>
  )
}

function HoldForm({ memberId }: { memberId: string }) {
  const place = usePlaceHold(memberId)
  const [amount, setAmount] = useState('')
  const [reasonCode, setReasonCode] = useState<HoldReason>('COMPLIANCE')
  const [tried, setTried] = useState(false)
  const cents = parseCents(amount)
  const submit = () => {
    setTried(true)
    if (!cents) return
    return place.mutateAsync(
      { amount: toDollars(cents), reasonCode },
      {
        onSuccess: () => {
          setAmount('')
          setTried(false)
        },
      },
    )
  }
  return (
    <Form aria-label="Place a hold" onSubmit={submit} className="mt-3 space-y-4 border-t border-line pt-4">
      <Segmented legend="Reason for the hold" options={reasons} value={reasonCode} onChange={setReasonCode} />
      <MoneyField
        label="Amount to hold"
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
        error={tried && !cents ? (amountRefusal(amount, '25.00') ?? 'Enter an amount like 25.00') : toApiError(place.error).fields['amount']}
      />
      <Button type="submit" busyLabel="Holding...">
        Hold
      </Button>
      <p className="text-sm text-ink-faint">The amount leaves the available balance at once. The member sees the amount and the reason.</p>
    </Form>
  )
}
