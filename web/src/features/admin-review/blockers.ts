/** Why a transaction cannot be approved now, in words: shown where the button is, before it is pressed. */
import { formatZoned } from '@/lib/dates'
import type { Review, StaffTransaction } from '@/features/admin/api/types'

type Around = {
  /** Who would approve it. */
  staffId: string
  /** The member's transactions. */
  others: readonly StaffTransaction[]
}

export function blockersOf({ transaction: one, notBefore }: Review, { staffId, others }: Around): string[] {
  // A member has one open withdrawal, so an open payment of a fee is for it.
  const fee = one.kind === 'withdrawal' ? others.find(({ kind, status }) => kind === 'fee' && status === 'pending') : undefined
  const reasons: [unknown, string][] = [
    [one.firstApproval?.by === staffId, 'You approved it already: another reviewer has to approve it too.'],
    [one.needsDestination, 'It can be approved once the member has entered an address.'],
    [one.needsConfirmation, 'It can be approved once the member has confirmed the address.'],
    [notBefore, `It can be approved from ${notBefore ? formatZoned(notBefore) : ''}.`],
    [fee, `The payment of its fee (${fee?.reference}) is in review: decide that first.`],
  ]
  return reasons.flatMap(([holds, text]) => (holds ? [text] : []))
}
