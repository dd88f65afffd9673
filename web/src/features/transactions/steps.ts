/** The way of a transaction: the server says where it stands, the words are here [D-M6]. */
import type { Step, Transaction } from '@/lib/api-types'

type Names = { open: string; done: string; current?: string; failed?: string }

const names: Record<string, Names> = {
  requested: { open: 'Request', done: 'Requested' },
  seen: { open: 'Waiting for your payment', done: 'Payment detected' },
  confirmed: { open: 'Confirmation by the network', done: 'Confirmed by the network' },
  address: { open: 'Address confirmation', done: 'Address confirmed' },
  waiting: { open: 'Waiting period', done: 'Waiting period' },
  reviewed: { open: 'Review by our team', done: 'Reviewed', current: 'In review', failed: 'Not accepted in review' },
  sent: { open: 'Payout', done: 'Sent', current: 'Approved, waits for the payout', failed: 'Not paid out' },
  arrived: { open: 'Arrives at your address', done: 'Arrived', current: 'Sent, on its way to you', failed: 'Not paid out' },
  credited: { open: 'Added to your balance', done: 'Added to your balance' },
  debited: { open: 'Taken from your balance', done: 'Taken from your balance' },
  unlocked: { open: 'Course unlocked', done: 'Course unlocked' },
  settled: { open: 'Fee settled', done: 'Fee settled' },
  ended: { open: 'Ended', done: 'Ended' },
  returned: { open: 'Returned', done: 'Returned to you' },
}

/** A step that a later version of the server adds is named by its key. */
export function nameOf({ key, state }: Step): string {
  const known = names[key]
  if (!known) return key
  if (state === 'done') return known.done
  return (state === 'next' ? undefined : known[state]) ?? known.open
}

/** Where an open transaction stands. */
export const currentOf = ({ steps }: Transaction): Step | undefined => steps.find(({ state }) => state === 'current')

/** A payment of the member that a chain may show. */
export const isOpenPayment = ({ status, kind }: Transaction) => status === 'pending' && kind !== 'withdrawal'
