import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { User } from '@/lib/api-types'
import { useMember } from '@/lib/session'
import { useMay } from '../permissions'
import { adminKeys } from './keys'
import type { Role } from './types'
import { useStaffAction } from './use-staff-action'

export const useStaffList = ({ enabled = true } = {}) =>
  useQuery({
    queryKey: adminKeys.staff,
    queryFn: ({ signal }) => api.get<{ staff: User[] }>('/admin/staff', { signal }),
    select: ({ staff }) => staff,
    staleTime: 60_000,
    enabled,
    meta: { silent: true },
  })

/** Names a colleague within a sentence: "you", their name where it is known or the list of staff may be read, else a short id. */
export function useStaffName() {
  const me = useMember()
  const may = useMay()
  const { data } = useStaffList({ enabled: may('seeStaff') })
  return (id: string | null | undefined, name?: string | null) => {
    if (!id) return '–'
    if (id === me.id) return 'you'
    if (/^0{8}-/.test(id)) return 'the command line'
    return data?.find((one) => one.id === id)?.name ?? name ?? `colleague ${id.slice(-4)}`
  }
}

export type Invitation = { name: string; email: string; role: Role }

export const useInviteStaff = () =>
  useStaffAction((invitation: Invitation, options) => api.post('/admin/staff', invitation, options), ['name', 'email', 'role'])

export const useDisableStaff = () =>
  useStaffAction((id: string, options) => api.delete(`/admin/staff/${encodeURIComponent(id)}`, options))

export const useChangeRole = (id: string) =>
  useStaffAction((role: Role, options) => api.put(`/admin/staff/${encodeURIComponent(id)}/role`, { role }, options), ['role'])
