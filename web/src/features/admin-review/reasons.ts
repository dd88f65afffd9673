/** Why staff rejects, and the words of the mail that the member gets [D-R3] [D-E2]. */
import { brand } from '@/lib/brand'
import { formatMoney } from '@/lib/money'
import { paths } from '@/lib/paths'
import type { RejectionReason, StaffTransaction } from '@/features/admin/api/types'

export type Reason = { code: RejectionReason; name: string; sentence: string }

const payment: readonly Reason[] = [
  { code: 'NOT_RECEIVED', name: 'Not received', sentence: 'We have not received this payment.' },
  { code: 'AMOUNT_MISMATCH', name: 'Amount differs', sentence: 'The amount we received differs from the amount you entered.' },
  { code: 'UNREADABLE_RECEIPT', name: 'Proof unreadable', sentence: 'We could not read the proof of payment.' },
  { code: 'DUPLICATE', name: 'Duplicate', sentence: 'This payment has been submitted before.' },
  { code: 'WRONG_NETWORK', name: 'Wrong network', sentence: 'The payment was made on another network.' },
  { code: 'OTHER', name: 'Other', sentence: 'We could not confirm this payment. Please contact support.' },
]

const withdrawal: readonly Reason[] = [
  { code: 'INVALID_ADDRESS', name: 'Invalid address', sentence: 'The destination address is not valid. The amount is back in your balance.' },
  { code: 'COMPLIANCE', name: 'Checks incomplete', sentence: 'We could not complete our checks for this withdrawal. The amount is back in your balance.' },
  { code: 'MEMBER_REQUEST', name: 'Requested by member', sentence: 'Ended at your request. The amount is back in your balance.' },
  { code: 'PAYOUT_FAILED', name: 'Payout failed', sentence: 'The payout did not go through. The amount is back in your balance.' },
  { code: 'OTHER', name: 'Other', sentence: 'We could not process this withdrawal. The amount is back in your balance. Please contact support.' },
]

export const reasonsFor = (kind: StaffTransaction['kind']) => (kind === 'withdrawal' ? withdrawal : payment)

const ifPaid =
  `If you did pay, please contact support at ${brand.email} with the reference above and your proof of payment. Money that reached us is not lost.`

const mails: Partial<Record<StaffTransaction['kind'], { subject: string; lead: string; close?: string }>> = {
  deposit: {
    subject: 'Your deposit could not be confirmed',
    lead: 'We could not confirm your deposit, so nothing was added to your balance.',
    close: ifPaid,
  },
  course: {
    subject: 'Your payment for the course could not be confirmed',
    lead: 'We could not confirm your payment for the course, so the course stays closed for now.',
    close: ifPaid,
  },
  fee: {
    subject: 'Your fee payment could not be confirmed',
    lead: 'We could not confirm your separate payment of the withdrawal fee. Your withdrawal continues: the fee is deducted from the payout.',
  },
  withdrawal: {
    subject: 'Your withdrawal was not accepted',
    lead: 'We did not accept your withdrawal. The whole amount is back in your balance; no fee was charged.',
  },
}

type Rejected = Pick<StaffTransaction, 'id' | 'kind' | 'amount' | 'reference' | 'user'>

/** The mail about a rejection as the member reads it; a test holds it to the templates of the mailer. */
export function rejectionMail({ id, kind, amount, reference, user }: Rejected, reason: Reason) {
  const mail = mails[kind]
  if (!mail) return undefined
  const site = window.location.origin
  const paragraphs = [
    `Hello ${user.name},`,
    mail.lead,
    `Reason: ${reason.sentence}\nAmount: ${formatMoney(amount)}\nReference: ${reference}`,
    `See the transaction:\n${site}${paths.transaction(id)}`,
    mail.close,
    `${brand.name} will never ask you for your password or a code, by email, phone or message.`,
    `Questions? Write to ${brand.email}.`,
    `${brand.name}\n${site}`,
  ]
  return { subject: mail.subject, paragraphs: paragraphs.filter((paragraph) => paragraph !== undefined) }
}
