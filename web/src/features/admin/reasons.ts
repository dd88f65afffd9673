/** Why staff rejects, and the words of the mail that the member gets [D-R3] [D-E2]. */
export type Reason = { code: string; name: string; sentence: string }

const payment: readonly Reason[] = [
  { code: 'NOT_RECEIVED', name: 'Not received', sentence: 'We have not received this payment.' },
  { code: 'AMOUNT_MISMATCH', name: 'Amount differs', sentence: 'The amount we received differs from the amount you entered.' },
  { code: 'UNREADABLE_RECEIPT', name: 'Proof unreadable', sentence: 'We could not read the proof of payment.' },
  { code: 'DUPLICATE', name: 'Submitted before', sentence: 'This payment has been submitted before.' },
  { code: 'WRONG_NETWORK', name: 'Wrong network', sentence: 'The payment was made on another network.' },
  { code: 'OTHER', name: 'Other', sentence: 'We could not confirm this payment. Please contact support.' },
]

const withdrawal: readonly Reason[] = [
  { code: 'INVALID_ADDRESS', name: 'Address not valid', sentence: 'The destination address is not valid. The amount is back in your balance.' },
  { code: 'COMPLIANCE', name: 'Checks incomplete', sentence: 'We could not complete our checks for this withdrawal. The amount is back in your balance.' },
  { code: 'MEMBER_REQUEST', name: 'Member asked', sentence: 'Ended at your request. The amount is back in your balance.' },
  { code: 'PAYOUT_FAILED', name: 'Payout failed', sentence: 'The payout did not go through. The amount is back in your balance.' },
  { code: 'OTHER', name: 'Other', sentence: 'We could not process this withdrawal. The amount is back in your balance. Please contact support.' },
]

export const reasonsFor = (kind: string) => (kind === 'withdrawal' ? withdrawal : payment)

const mails: Record<string, { subject: string; lead: string }> = {
  deposit: {
    subject: 'Your deposit could not be confirmed',
    lead: 'We could not confirm your deposit, so nothing was added to your balance.',
  },
  course: {
    subject: 'Your payment for the course could not be confirmed',
    lead: 'We could not confirm your payment for the course, so the course stays closed for now.',
  },
  fee: {
    subject: 'Your fee payment could not be confirmed',
    lead: 'We could not confirm your separate payment of the withdrawal fee. Your withdrawal goes on all the same: the fee comes out of the payout.',
  },
  withdrawal: {
    subject: 'Your withdrawal was not accepted',
    lead: 'We did not accept your withdrawal. The whole amount is back in your balance; no fee was charged.',
  },
}

/** Subject and first sentence of the mail about a rejection of this kind. */
export const rejectionMail = (kind: string) => mails[kind]
