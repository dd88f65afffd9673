/** What the caller may do [D-O1]. The services decide; the pages only leave out what would be refused. */
import { useMe } from './api/get-me'
import type { Permission, Role } from './api/types'

export function useMay() {
  const { data } = useMe()
  return (permission: Permission) => data?.permissions.includes(permission) ?? false
}

/** Whether the caller may confirm or reject a proposal: the server names the permission it takes [D-R2]. */
export function useMayDecide() {
  const { data } = useMe()
  return ({ permission }: { permission: Permission }) => data?.permissions.includes(permission) ?? false
}

export const roles: Record<Role, { name: string; does: string }> = {
  reviewer: { name: 'Reviewer', does: 'Decides deposits, fees and withdrawals; freezes accounts and places holds' },
  treasurer: { name: 'Treasurer', does: 'Pays out, manages platform methods, proposes bonuses, adjustments, reversals and refunds' },
  manager: { name: 'Manager', does: 'Manages plans, their values and the course' },
  auditor: { name: 'Auditor', does: 'Can view everything, cannot change anything' },
  admin: { name: 'Admin', does: 'Manages staff accounts together with a second admin, cannot move money' },
}
