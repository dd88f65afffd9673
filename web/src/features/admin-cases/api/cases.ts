import { useQuery } from '@tanstack/react-query'
import { adminKeys } from '@/features/admin/api/keys'
import type { Colleague, StaffCase, StaffCaseMessage } from '@/features/admin/api/types'
import { useStaffAction } from '@/features/admin/api/use-staff-action'
import { useMay } from '@/features/admin/permissions'
import { usePending, useUndoable } from '@/features/admin/undo'
import { api } from '@/lib/api-client'
import { usePagedQuery } from '@/lib/paged-query'
import { useMember } from '@/lib/session'

const LOOK_AGAIN_MS = 20_000

type Page = { cases: StaffCase[]; nextCursor?: string | null }
type Thread = { case: StaffCase; messages: StaffCaseMessage[] }

const url = (id: string) => `/admin/cases/${encodeURIComponent(id)}`

/** The filter as the list takes it. */
export const filterOf = (filter: string, member: string) => ({ filter: member ? 'member' : filter, member })

/** A list of cases, in the order of its filter; of one member if one is named. */
export function useStaffCases(filter: string, member: string, { enabled = true } = {}) {
  const { pages, ...query } = usePagedQuery<Page>(adminKeys.cases(filter, member), '/admin/cases', {
    params: filterOf(filter, member),
    enabled,
    pollMs: LOOK_AGAIN_MS,
    silent: true,
  })
  return { ...query, cases: pages?.flatMap((page) => page.cases) }
}

/** How many cases wait for the caller's answer: their own, taken or handed over. */
export function useOwnWaiting() {
  const { cases } = useStaffCases('mine', '', { enabled: useMay()('answerCases') })
  return cases?.filter(({ state }) => state === 'open').length ?? 0
}

export const useStaffCase = (id: string) =>
  useQuery({
    queryKey: adminKeys.case(id),
    queryFn: ({ signal }) => api.get<Thread>(url(id), { signal }),
    refetchInterval: LOOK_AGAIN_MS,
    meta: { silent: true },
  })

const about = (id: string) => `case ${id}`

/** The others who may answer cases. */
export const useColleagues = ({ enabled }: { enabled: boolean }) =>
  useQuery({
    queryKey: adminKeys.colleagues,
    queryFn: ({ signal }) => api.get<{ colleagues: Colleague[] }>('/admin/cases/colleagues', { signal }),
    select: ({ colleagues }) => colleagues,
    enabled,
    meta: { silent: true },
  })

/** Without an owner the case is given back. */
type Owned = { owner?: Colleague }

/** Takes the case, also in place of a colleague, hands it to one, or gives it back. */
export function useOwnCase(id: string) {
  const me = useMember()
  return useUndoable<Owned>({
    about: about(id),
    said: ({ owner }) => (!owner ? 'The case has no owner' : owner.id === me.id ? 'The case is yours' : `The case is ${owner.name ?? 'a colleague'}'s`),
    send: ({ owner }, options) => {
      if (!owner) return api.delete(`${url(id)}/claim`, options)
      if (owner.id === me.id) return api.put(`${url(id)}/claim`, undefined, options)
      return api.put(`${url(id)}/owner`, { ownerId: owner.id }, options)
    },
  })
}

/** The owner, and who handed the case over, with what the caller did and can still undo. */
export function useOwner({ id, ownerId, ownerName, assignedBy, assignedByName }: StaffCase) {
  const me = useMember()
  const done = usePending<Owned>(about(id)).at(-1)
  if (!done) return { ownerId, ownerName, assignedBy, assignedByName }
  const { owner } = done
  return { ownerId: owner?.id, ownerName: owner?.name, assignedBy: owner && owner.id !== me.id ? me.id : undefined }
}

export const useAnswerCase = (id: string) =>
  useStaffAction((answer: { text: string; seen: number }, options) => api.post(`${url(id)}/answer`, answer, options), ['text'])

export const useCloseStaffCase = (id: string) => useStaffAction((_: object, options) => api.post(`${url(id)}/close`, undefined, options))

export const useRegisterComplaint = (id: string) => useStaffAction((_: object, options) => api.post(`${url(id)}/complaint`, undefined, options))
