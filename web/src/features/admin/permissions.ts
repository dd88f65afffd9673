/** Which role may do what [D-O1]. The services decide; the pages only leave out what would be refused. */
import { useMember } from '@/lib/session'

export type Role = 'reviewer' | 'treasurer' | 'manager' | 'auditor' | 'admin'

const everyone: readonly Role[] = ['reviewer', 'treasurer', 'manager', 'auditor', 'admin']

const grants = {
  see: everyone,
  decide: ['reviewer'],
  freeze: ['reviewer'],
  writeNotes: ['reviewer', 'treasurer'],
  pay: ['treasurer'],
  correctBalances: ['treasurer'],
  changeMethods: ['treasurer'],
  reopenWithdrawals: ['treasurer', 'admin'],
  replayDeadLetters: ['admin'],
  changePlans: ['manager'],
  seeStaff: ['admin', 'auditor'],
  changeStaff: ['admin'],
  seeAudit: ['auditor', 'admin'],
} as const satisfies Record<string, readonly Role[]>

export type Act = keyof typeof grants

export const roleMay = (role: string | null | undefined, act: Act) =>
  (grants[act] as readonly string[]).includes(role ?? '')

export function useMay() {
  const { role } = useMember()
  return (act: Act) => roleMay(role, act)
}

/** Who may confirm or reject a proposal of this kind: the role that may make one [D-R2]. */
export function actOfProposal(kind: string): Act {
  if (kind.startsWith('plan.')) return 'changePlans'
  if (kind === 'withdrawals.reopen') return 'reopenWithdrawals'
  return kind.startsWith('payment_method.') ? 'changeMethods' : 'correctBalances'
}

export const roles: Record<Role, { name: string; does: string }> = {
  reviewer: { name: 'Reviewer', does: 'Decides deposits, fees and withdrawals; freezes accounts' },
  treasurer: { name: 'Treasurer', does: 'Pays out, keeps the platform methods, proposes bonus and adjustments' },
  manager: { name: 'Manager', does: 'Keeps plans, their values and the course' },
  auditor: { name: 'Auditor', does: 'Reads everything, changes nothing' },
  admin: { name: 'Admin', does: 'Keeps the staff accounts, moves no money' },
}

export const isRole = (role: string | null | undefined): role is Role => everyone.includes(role as Role)
