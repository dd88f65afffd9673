/** Rows of the audit log as sentences: what an actor did. */
import { movementKinds } from '@/features/admin/movements'
import { titleOf, titles } from '@/features/admin/proposals'

const noun: Record<string, string> = { deposit: 'the deposit', course: 'the course payment', fee: 'the fee payment', withdrawal: 'the withdrawal' }

/** What follows upon the name of the actor, by action. */
const verbs: Record<string, string> = {
  'withdrawal.paying': 'started the payout of the withdrawal',
  'withdrawal.paid': 'marked the withdrawal as paid',
  'withdrawal.settle': 'confirmed that the withdrawal arrived',
  'withdrawal.cancel': 'cancelled the withdrawal',
  'deposit.take_back': 'ended, as its member asked, the deposit',
  'withdrawal.end_lease': 'ended the payout of the withdrawal',
  'destination.disown': 'stopped payouts to an address of',
  'withdrawals.stop': 'paused all withdrawals',
  'withdrawals.reopen': 'resumed withdrawals',
  'hold.place': 'held a part of the balance of',
  'hold.release': 'released what was held of',
  'member.freeze': 'froze the account of',
  'member.unfreeze': 'unfroze the account of',
  'member.note': 'wrote a note about',
  'member.end_sessions': 'ended all sessions of',
  'member.factors_removed': 'removed the second factors of',
  'member.factor_reset_called_off': 'called off the removal of second factors of',
  'factors.reset': 'removed the lost second factors of',
  'plan.create': 'offered a plan',
  'plan.update': 'changed the terms of a plan',
  'plan.value': 'published a value of a plan',
  'rate.publish': 'published a rate',
  'payment_method.create': 'added a platform method',
  'payment_method.update': 'changed a platform method',
  'payment_method.archive': 'retired a platform method',
  'payment_method.sign': 'signed a platform method',
  'payment_method.prove': 'proved the address of a platform method',
  'announcement.end': 'ended an announcement',
  'treasury_address.watch': 'recognised an address of the treasury',
  'staff.add': 'added a staff account',
  'staff.bootstrap': 'invited one of the first admins',
  'staff.invite': 'invited a staff member',
  'staff.disable': 'disabled a staff account',
  'staff.role': 'changed the role of a staff account',
  'staff.enrol_totp': 'set up an authenticator app',
  'staff.remove_totp': 'removed the authenticator app',
  'staff.reset_totp': 'reset the authenticator app of a staff account',
  'staff.add_passkey': 'added a passkey',
  'staff.remove_passkey': 'removed a passkey',
  'staff.recovery_code': 'logged in with a recovery code',
  'staff.replace_recovery_codes': 'replaced the recovery codes',
  'course.publish': 'published a version of the course',
  'course.restore': 'restored a version of the course',
  'course.import': 'imported the course',
  'course.media.remove': 'deleted a file of the course',
  'course.captions.put': 'added captions to a video of the course',
  'course.captions.remove': 'deleted captions of a video of the course',
  'case.claim': 'took a case of',
  'case.assign': 'handed over a case of',
  'case.release': 'gave back a case of',
  'case.answer': 'answered in a case of',
  'case.close': 'closed a case of',
  'case.complaint': 'registered a complaint of',
  'event.replay': 'sent an event again',
  'liabilities.publish': 'published the proof of liabilities',
}

const decisions: Record<string, string> = { approve: 'approved', reject: 'rejected', reverse: 'reversed' }
const steps: Record<string, string> = { propose: 'proposed', proposed: 'proposed', confirm: 'confirmed', confirmed: 'confirmed', reject: 'rejected', expire: 'let expire', drop: 'dropped' }

/** `approved the deposit`, `proposed: Grant a bonus`; what is not known stands as it is. */
export function verbOf(action: string): string {
  const known = verbs[action]
  if (known) return known
  const [subject = '', act = ''] = action.split(/\.(?=[^.]*$)/)
  const decided = decisions[act]
  if (decided && noun[subject]) return `${decided} ${noun[subject]}`
  const step = steps[act]
  return step ? `${step}: ${titleOf(subject.replace(/^proposal\./, ''))}` : titleOf(action).toLowerCase()
}

/** What the id in a row belongs to, by action; nothing where the sentence needs none. */
export function subjectOf(action: string): 'transaction' | 'proposal' | 'member' | 'staff' | 'version' | undefined {
  const [subject = '', act = ''] = action.split(/\.(?=[^.]*$)/)
  if (noun[subject] && (act in decisions || (['withdrawal', 'deposit'].includes(subject) && action in verbs))) return 'transaction'
  if (act in steps) return 'proposal'
  if (['member', 'factors', 'hold', 'destination', 'case'].includes(subject)) return 'member'
  if (subject === 'staff') return 'staff'
  if (subject === 'course' && action in verbs) return 'version'
  return undefined
}

/** Whether there is a sentence for it, or for the steps of a proposal of this kind. */
export const isKnown = (action: string) => action in verbs || action in titles || action in movementKinds

/** The actions that can be filtered by, as their sentences begin; of proposals, all steps together, by how their names begin. */
export const filterOptions = [
  ...Object.keys(noun).flatMap((kind) => ['approve', 'reject'].map((act) => `${kind}.${act}`)),
  ...Object.keys(verbs),
].map((value) => {
  const verb = verbOf(value)
  return { value, label: verb.charAt(0).toUpperCase() + verb.slice(1) }
}).concat([...Object.keys(titles), ...Object.keys(movementKinds)].map((kind) => ({ value: `${kind}.`, label: `Proposal: ${titleOf(kind)}` })))
