/**
 * What cannot be taken back: every call that pays, posts or deletes for good, and the question that is asked before it. A call
 * that is asked about elsewhere, or can be taken back, says so in `exempt`. The calls are those of the contract.
 */

import type { ReactNode } from 'react'

export type Fact = {
  label: string
  value: ReactNode
  /** To be compared letter by letter. */
  isExact?: boolean
  /** The same, in groups of four. */
  isAddress?: boolean
}

export type Question = {
  title: string
  /** What will happen, in words. */
  sentence: string
  /** The same in figures. */
  facts?: readonly Fact[]
  /** The button that does it, and the one that does not. */
  confirm: string
  cancel?: string
  busyLabel: string
  variant?: 'primary' | 'danger'
}

type Withdrawal = { amount: string; fee: string; receives: string; network: string; address: string; memo: string; label?: string }
/** `plan` is its name and, in a clause, what leaving early costs; `value` is what is paid. */
type TradeEnd = { plan: string; amount: string; value: string }

const endOfTrade = ({ plan, amount, value }: TradeEnd) =>
  `At its current value, ${plan} pays ${value} into your balance; you invested ${amount}. The value at the time you confirm applies.`

export const questions = {
  'POST /transactions/withdraw': ({ amount, fee, receives, network, address, memo, label }: Withdrawal): Question => ({
    title: 'Check your withdrawal',
    sentence: `${amount} is taken from your balance now. Once reviewed, it is paid to the address below. You cannot cancel it after this step, and a payment to a wrong address cannot be recovered. Compare the address with your wallet.`,
    facts: [
      { label: 'You receive', value: receives },
      { label: 'Fee', value: fee },
      { label: 'Network', value: network },
      { label: label ? `To ${label}` : 'To', value: address, isAddress: true },
      ...(memo ? [{ label: 'Memo', value: memo, isExact: true }] : []),
    ],
    confirm: `Withdraw ${amount}`,
    cancel: 'Go back',
    busyLabel: 'Processing withdrawal...',
  }),
  'DELETE /transactions/{id}': ({ reference }: { reference: string }): Question => ({
    title: `Take ${reference} back?`,
    sentence: 'Only if you have not sent the payment.',
    confirm: 'Take it back',
    busyLabel: 'One moment...',
    variant: 'danger',
  }),
  'PUT /trades/claim/{id}': (trade: TradeEnd): Question => ({
    title: 'Claim the profit and end this trade?',
    sentence: endOfTrade(trade),
    facts: [{ label: 'Into your balance', value: trade.value }],
    confirm: 'Claim now',
    cancel: 'Keep it open',
    busyLabel: 'One moment...',
  }),
  'DELETE /trades/close/{id}': (trade: TradeEnd): Question => ({
    title: 'Close this trade?',
    sentence: endOfTrade(trade),
    facts: [{ label: 'Into your balance', value: trade.value }],
    confirm: 'Close now',
    cancel: 'Keep it open',
    busyLabel: 'One moment...',
    variant: 'danger',
  }),
  'DELETE /payment-methods/{id}': ({ name, network }: { name: string; network: string }): Question => ({
    title: 'Delete this payment method?',
    sentence: `${name} (${network}) will no longer be offered for withdrawals. Withdrawals already requested keep their address.`,
    confirm: 'Delete',
    cancel: 'Keep it',
    busyLabel: 'Deleting...',
    variant: 'danger',
  }),
  'DELETE /courses/lessons/{id}/notes/{noteId}': ({ at, text }: { at: string; text: string }): Question => ({
    title: `Delete the note at ${at}?`,
    sentence: 'It is deleted for good.',
    facts: [{ label: 'Note', value: text }],
    confirm: 'Delete',
    cancel: 'Keep it',
    busyLabel: 'Deleting...',
    variant: 'danger',
  }),
  'DELETE /admin/announcements/{id}': ({ text }: { text: string }): Question => ({
    title: 'End this announcement?',
    sentence: 'Members and visitors do not see it any more. To show it again, two people have to announce it again.',
    facts: [{ label: 'Text', value: text }],
    confirm: 'End it now',
    cancel: 'Keep it',
    busyLabel: 'One moment...',
    variant: 'danger',
  }),
  'POST /admin/transactions/{id}/paid': ({ reference, member, pays, address, txid, isSeen }: Payout): Question => ({
    title: `Mark ${reference} as paid?`,
    sentence:
      `${pays} left the treasury for ${member}, and the held amount is taken from their balance.` +
      (isSeen ? '' : ' We do not see this payment on the chain: compare the hash with your wallet.'),
    facts: [
      { label: 'Paid', value: pays },
      { label: 'To', value: address, isAddress: true },
      { label: 'Transaction hash', value: txid, isExact: true },
    ],
    confirm: 'Yes, it is paid',
    cancel: 'Go back',
    busyLabel: 'Saving...',
  }),
  'POST /admin/proposals/{id}/confirm': ({ title, facts }: { title: string; facts: readonly Fact[] }): Question => ({
    title: `${title}?`,
    sentence: 'You are the second person: it takes effect as soon as you confirm.',
    facts,
    confirm: 'Confirm the proposal',
    busyLabel: 'Confirming...',
  }),
}

type Payout = { reference: string; member: string; pays: string; address: string; txid: string; isSeen: boolean }

/** Why a call that pays, posts or deletes has no question above. */
export const exempt: Record<string, string> = {
  'POST /courses/purchase': 'a dialog of its own shows the balance before and after',
  'POST /users/close': 'a dialog of its own asks for the password',
  'DELETE /users/close': 'keeps the account open; it can be closed again',
  'POST /trades/create': 'a review of its own repeats plan and amount',
  'DELETE /users/passkeys/{id}': 'a dialog of its own',
  'DELETE /users/totp': 'a dialog of its own',
  'DELETE /auth/sessions/{id}': 'logging in again makes a session',
  'DELETE /notices/push': 'the same switch turns it on again',
  'DELETE /admin/members/{id}/sessions': 'logging in again makes a session',
  'DELETE /admin/transactions/{id}/claim': 'claiming it again takes one key',
  'DELETE /admin/cases/{id}/claim': 'taking it again takes one press',
  'POST /admin/transactions/{id}/approve': 'its form names the amount on the button; several at once have a dialog',
  'POST /admin/transactions/{id}/reject': 'its form shows the mail to the member',
  'POST /admin/payouts/send': 'a dialog of its own names every payout',
  'POST /admin/payouts/dissolve': 'they can be started again',
  'POST /admin/transactions/{id}/reverse': 'a proposal, which a second person confirms',
  'POST /admin/members/{id}/adjustment': 'a proposal, which a second person confirms',
  'POST /admin/members/{id}/bonus': 'a proposal, which a second person confirms',
  'POST /admin/members/{id}/release': 'a proposal, which a second person confirms',
  'POST /admin/members/{id}/course/refund': 'a proposal, which a second person confirms',
  'POST /admin/ledger/accounts/{id}/rebuild': 'a proposal, which a second person confirms',
  'DELETE /admin/payment-methods/{id}': 'a proposal, which a second person confirms',
  'DELETE /admin/staff/{id}': 'a proposal, which a second person confirms',
  'DELETE /admin/course/media/{id}': 'the row in the library asks in place',
  'DELETE /admin/course/media/{id}/captions/{language}': 'the file can be uploaded again',
}

export type Route = keyof typeof questions
export type FactsOf<R extends Route> = Parameters<(typeof questions)[R]>[0]
