import { useQuery } from '@tanstack/react-query'
import { adminKeys } from '@/features/admin/api/keys'
import type { StaffCase, StaffCaseMessage } from '@/features/admin/api/types'
import { useStaffAction } from '@/features/admin/api/use-staff-action'
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
export function useStaffCases(filter: string, member: string) {
  const { pages, ...query } = usePagedQuery<Page>(adminKeys.cases(filter, member), '/admin/cases', {
    params: filterOf(filter, member),
    pollMs: LOOK_AGAIN_MS,
    silent: true,
  })
  return { ...query, cases: pages?.flatMap((page) => page.cases) }
}

export const useStaffCase = (id: string) =>
  useQuery({
    queryKey: adminKeys.case(id),
    queryFn: ({ signal }) => api.get<Thread>(url(id), { signal }),
    refetchInterval: LOOK_AGAIN_MS,
    meta: { silent: true },
  })

const about = (id: string) => `case ${id}`

/** Takes the case, also in place of a colleague, or gives it back. */
export const useOwnCase = (id: string) =>
  useUndoable<{ isMine: boolean }>({
    about: about(id),
    said: ({ isMine }) => (isMine ? 'The case is yours' : 'The case has no owner'),
    send: ({ isMine }, options) => (isMine ? api.put(`${url(id)}/claim`, undefined, options) : api.delete(`${url(id)}/claim`, options)),
  })

/** The owner, with what the caller did and can still undo. */
export function useOwner({ id, ownerId, ownerName }: Pick<StaffCase, 'id' | 'ownerId' | 'ownerName'>) {
  const me = useMember()
  const done = usePending<{ isMine: boolean }>(about(id)).at(-1)
  if (!done) return { ownerId, ownerName }
  return done.isMine ? { ownerId: me.id, ownerName: me.name } : {}
}

export const useAnswerCase = (id: string) =>
  useStaffAction((answer: { text: string; seen: number }, options) => api.post(`${url(id)}/answer`, answer, options), ['text'])

export const useCloseStaffCase = (id: string) => useStaffAction((_: object, options) => api.post(`${url(id)}/close`, undefined, options))

export const useRegisterComplaint = (id: string) => useStaffAction((_: object, options) => api.post(`${url(id)}/complaint`, undefined, options))
