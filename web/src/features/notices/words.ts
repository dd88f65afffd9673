/** What a notice says, where it leads, and whether it is shown when it arrives. */
import type { Notice } from '@/lib/api-types'
import { formatMoney } from '@/lib/money'
import { paths } from '@/lib/paths'

export type Group = Notice['group']

export const groups: readonly { value: Group | 'all'; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'money', label: 'Money' },
  { value: 'plans', label: 'Plans' },
  { value: 'courses', label: 'Course' },
  { value: 'cases', label: 'Cases' },
  { value: 'security', label: 'Security' },
]

export type Words = { title: string; text?: string; to?: string }

/** Shown for a moment when it arrives: nothing that the member has just done on this screen. */
type Show = 'success' | 'warning' | 'info'

type Kind = { say: (notice: Notice) => Words; show?: Show }

const sum = ({ amount }: Notice) => formatMoney(amount ?? 0)
const one = ({ transactionId }: Notice) => (transactionId ? paths.transaction(transactionId) : paths.transactions)
const ofCase = ({ caseId }: Notice) => (caseId ? `${paths.cases}/${caseId}` : paths.cases)
const numbered = ({ caseNumber }: Notice) => (caseNumber ? `case ${caseNumber}` : 'your case')
const origin = ({ device, addressBlock }: Notice) => [device, addressBlock].filter(Boolean).join(' · ') || undefined

const factors: Record<string, string> = {
  authenticator_added: 'An authenticator app was added',
  authenticator_replaced: 'Your authenticator app was replaced',
  authenticator_removed: 'Your authenticator app was removed',
  recovery_codes_replaced: 'Your recovery codes were replaced',
  recovery_code_used: 'A recovery code was used',
  passkey_added: 'A passkey was added',
  passkey_removed: 'A passkey was removed',
  reset_scheduled: 'The removal of your second factors is scheduled',
  reset_called_off: 'The removal of your second factors is called off',
  removed_by_staff: 'Your second factors were removed',
}

const kinds: Record<Notice['kind'], Kind> = {
  payment_seen: {
    say: () => ({ title: 'We see your payment', text: 'It is added once the network has confirmed it and it has passed our review.', to: paths.transactions }),
    show: 'info',
  },
  deposit_confirmed: {
    say: (notice) => ({ title: `${sum(notice)} was added to your balance`, text: 'Your deposit is confirmed.', to: one(notice) }),
    show: 'success',
  },
  deposit_rejected: {
    say: (notice) => ({ title: 'Your deposit was not accepted', text: notice.reason, to: one(notice) }),
    show: 'warning',
  },
  withdrawal_received: {
    say: (notice) => ({ title: `A withdrawal of ${sum(notice)} was requested`, text: 'If this was not you, contact support at once.', to: one(notice) }),
  },
  withdrawal_approved: {
    say: (notice) => ({ title: `Your withdrawal of ${sum(notice)} is approved`, text: 'It is sent next.', to: one(notice) }),
    show: 'success',
  },
  payment_returned: {
    say: (notice) => ({ title: 'Your payment was returned', text: 'Open it to see where it went.', to: one(notice) }),
    show: 'info',
  },
  withdrawal_paid: {
    say: (notice) => ({ title: `Your withdrawal of ${sum(notice)} was sent`, to: one(notice) }),
    show: 'success',
  },
  withdrawal_rejected: {
    say: (notice) => ({ title: 'Your withdrawal was not accepted', text: notice.reason, to: one(notice) }),
    show: 'warning',
  },
  fee_confirmed: { say: (notice) => ({ title: 'Your fee payment is confirmed', to: one(notice) }), show: 'success' },
  fee_rejected: {
    say: (notice) => ({ title: 'Your fee payment was not accepted', text: notice.reason, to: one(notice) }),
    show: 'warning',
  },
  bonus_granted: { say: (notice) => ({ title: `You received a bonus of ${sum(notice)}`, to: one(notice) }), show: 'success' },
  bonus_released: {
    say: (notice) => ({ title: `Your bonus of ${sum(notice)} is now part of your balance`, to: one(notice) }),
    show: 'success',
  },
  balance_adjusted: {
    say: (notice) => ({ title: `Your balance was corrected by ${sum(notice)}`, text: notice.reason, to: one(notice) }),
    show: 'info',
  },
  trade_matured: {
    say: (notice) => ({ title: `${notice.plan ?? 'An investment'} has matured`, text: `${sum(notice)} can be claimed.`, to: paths.investments }),
    show: 'success',
  },
  payout_delayed: {
    say: (notice) => ({
      title: `${sum(notice)} from ${notice.plan ?? 'an investment'} waits for the cash of its plan`,
      text: 'Its value is fixed. It is paid as soon as cash arrives.',
      to: paths.investments,
    }),
    show: 'warning',
  },
  trade_claimed: {
    say: (notice) => ({ title: `${notice.plan ?? 'An investment'} was paid out`, text: `${sum(notice)} is in your balance.`, to: paths.investments }),
  },
  trade_closed: {
    say: (notice) => ({ title: `${notice.plan ?? 'An investment'} was closed`, text: `${sum(notice)} is in your balance.`, to: paths.investments }),
  },
  course_unlocked: { say: () => ({ title: 'You have access to the course', to: paths.courses }) },
  course_refunded: {
    say: (notice) => ({ title: 'The course was refunded', text: `${sum(notice)} is back in your balance.`, to: one(notice) }),
    show: 'info',
  },
  course_payment_rejected: {
    say: (notice) => ({ title: 'Your course payment was not accepted', text: notice.reason, to: one(notice) }),
    show: 'warning',
  },
  case_answered: { say: (notice) => ({ title: `We answered in ${numbered(notice)}`, to: ofCase(notice) }), show: 'info' },
  case_closed: { say: (notice) => ({ title: `We closed ${numbered(notice)}`, to: ofCase(notice) }), show: 'info' },
  complaint_registered: {
    say: (notice) => ({ title: `We registered ${numbered(notice)} as a complaint`, text: 'It is settled within ten working days.', to: ofCase(notice) }),
    show: 'info',
  },
  destination_code: {
    say: () => ({ title: 'A payout address waits for your confirmation', text: 'The code is in your email.', to: paths.activity }),
  },
  password_changed: { say: () => ({ title: 'Your password was changed', to: paths.activity }) },
  second_factor_changed: {
    say: (notice) => ({ title: factors[notice.change ?? ''] ?? 'Your second factors were changed', text: origin(notice), to: paths.activity }),
  },
  email_change_requested: { say: () => ({ title: 'Another email address was requested for your account', to: paths.activity }) },
  email_changed: { say: () => ({ title: 'Your email address was changed', to: paths.activity }) },
  new_sign_in: { say: (notice) => ({ title: 'Login from a new device', text: origin(notice), to: paths.activity }), show: 'warning' },
  sign_ins_refused: { say: (notice) => ({ title: 'Several logins failed', text: origin(notice), to: paths.activity }), show: 'warning' },
  account_frozen: { say: () => ({ title: 'Your account was frozen', text: 'Our team will contact you by email.' }), show: 'warning' },
  account_closing: { say: () => ({ title: 'Your account will be closed', to: paths.profile }) },
}

/** The words of a notice; one of a kind that only a newer server knows still says that something happened. */
export const wordsOf = (notice: Notice): Words => kinds[notice.kind]?.say(notice) ?? { title: 'Something changed in your account' }

/** How a notice is shown when it arrives, if it is. */
export const showOf = (notice: Notice): Show | undefined => kinds[notice.kind]?.show
