import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Activity, Transaction, User } from '@/lib/api-types'
import { usePagedQuery } from '@/lib/paged-query'
import { adminKeys } from './keys'
import { useStaffAction } from './use-staff-action'
import type { HoldReason, MemberPage } from './types'

type Page = { members: User[]; nextCursor?: string | null }

const url = (id: string) => `/admin/members/${encodeURIComponent(id)}`

/** Members whose name or email matches. */
export function useMembers(search: string) {
  const { pages, ...query } = usePagedQuery<Page>(adminKeys.members(search), '/admin/members', { params: { search }, silent: true })
  return { ...query, members: pages?.flatMap((page) => page.members) }
}

/** A member with balances, newest ledger entries, sessions and notes. */
export const useMemberPage = (id: string) =>
  useQuery({
    queryKey: adminKeys.member(id),
    queryFn: ({ signal }) => api.get<MemberPage>(url(id), { signal }),
    meta: { silent: true },
  })

/** What happened to the security of a member's account. */
export function useMemberActivity(id: string) {
  const { pages, ...query } = usePagedQuery<Activity>(adminKeys.memberActivity(id), `${url(id)}/activity`, { silent: true })
  return { ...query, events: pages?.flatMap((page) => page.events) }
}

export const useEndSessions = (id: string) =>
  useStaffAction((_: object, options) => api.delete(`${url(id)}/sessions`, options))

type Note = { note: string }

export const useFreeze = (id: string, frozen: boolean) =>
  useStaffAction((note: Note, options) => api.post(`${url(id)}/${frozen ? 'unfreeze' : 'freeze'}`, note, options), ['note'])

/** Proposes to remove lost second factors; another reviewer confirms [D-A3]. */
export const useResetFactors = (id: string) =>
  useStaffAction((note: Note, options) => api.post(`${url(id)}/factor-reset`, note, options), ['note'])

export const useAddNote = (id: string) =>
  useStaffAction((note: Note, options) => api.post(`${url(id)}/notes`, note, options), ['note'])

export type NewHold = { amount: number; reasonCode: HoldReason }

export const usePlaceHold = (id: string) =>
  useStaffAction((hold: NewHold, options) => api.post(`${url(id)}/holds`, hold, options), ['amount', 'reasonCode'])

export const useReleaseHold = (id: string) =>
  useStaffAction((holdId: string, options) => api.post(`${url(id)}/holds/${encodeURIComponent(holdId)}/release`, undefined, options))

export type CorrectionKind = 'bonus' | 'release' | 'adjustment'

export type Correction = { kind: CorrectionKind; amount: number; type?: Transaction['type']; note: string }

/** Proposes; another treasurer confirms [D-R2]. */
export const useProposeCorrection = (id: string) =>
  useStaffAction(({ kind, ...change }: Correction, options) => api.post(`${url(id)}/${kind}`, change, options), [
    'amount',
    'type',
    'note',
  ])
