/** What the caller may do [D-O1]. The services decide; the pages only leave out what would be refused. */
import { useMe } from './api/get-me'
import type { Permission, Role } from './api/types'

/** Those that decide and propose nothing: a new role has them at once. */
const reading: readonly Permission[] = ['see', 'writeNotes', 'answerCases', 'editCourse', 'seeStaff', 'seeAudit', 'seeJournal', 'publishLiabilities']

/** Whether the role of the caller includes it, even if it is too new: then the page can be read. */
export function useIncludes() {
  const { data } = useMe()
  return (permission: Permission) => data?.permissions.includes(permission) ?? false
}

/** Whether the caller may do it now: a new role decides and proposes from `decidesFrom` on [D-O5]. */
export function useMay() {
  const { data } = useMe()
  const includes = useIncludes()
  return (permission: Permission) => includes(permission) && (!data?.decidesFrom || reading.includes(permission))
}

/** Whether the caller may confirm or reject a proposal: the server names the permission it takes [D-R2]. */
export function useMayDecide() {
  const may = useMay()
  return ({ permission }: { permission: Permission }) => may(permission)
}

export const roles: Record<Role, { name: string; does: string }> = {
  reviewer: { name: 'Reviewer', does: 'Decides deposits, fees and withdrawals; freezes accounts and places holds' },
  treasurer: { name: 'Treasurer', does: 'Pays out, manages platform methods, proposes bonuses, adjustments, reversals and refunds' },
  manager: { name: 'Manager', does: 'Manages plans, their values and the course' },
  auditor: { name: 'Auditor', does: 'Can view everything, cannot change anything' },
  admin: { name: 'Admin', does: 'Manages staff accounts together with a second admin, cannot move money' },
}
