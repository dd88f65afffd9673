import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Activity, Transaction, User } from '@/lib/api-types'
import { formatMoney } from '@/lib/money'
import { usePagedQuery } from '@/lib/paged-query'
import { useUndoable } from '../undo'
import { adminKeys } from './keys'
import { useStaffAction } from './use-staff-action'
import type { Hold, HoldReason, MemberPage } from './types'

type Page = { members: User[]; nextCursor?: string | null }

const url = (id: string) => `/admin/members/${encodeURIComponent(id)}`

/** Members whose name or email matches. */
export function useMembers(search: string, { enabled = true } = {}) {
  const { pages, ...query } = usePagedQuery<Page>(adminKeys.members(search), '/admin/members', { params: { search }, enabled, silent: true })
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

export type Note = { note: string }

export const useFreeze = (id: string, frozen: boolean) =>
  useStaffAction((note: Note, options) => api.post(`${url(id)}/${frozen ? 'unfreeze' : 'freeze'}`, note, options), ['note'])

/** Proposes to remove lost second factors; another reviewer confirms [D-A3]. */
export const useResetFactors = (id: string) =>
  useStaffAction((note: Note, options) => api.post(`${url(id)}/factor-reset`, note, options), ['note'])

/** What can be undone for a few seconds, by what it is about. */
export const undoable = { note: (id: string) => `note ${id}`, hold: (id: string) => `hold ${id}`, release: (id: string) => `release ${id}` }

export const useAddNote = (id: string) =>
  useUndoable<Note>({
    about: undoable.note(id),
    said: () => 'Note added',
    send: (note, options) => api.post(`${url(id)}/notes`, note, options),
  })

export type NewHold = { amount: number; reasonCode: HoldReason }

export const usePlaceHold = (id: string) =>
  useUndoable<NewHold>({
    about: undoable.hold(id),
    said: ({ amount }) => `${formatMoney(amount)} held`,
    needs: 'signature',
    send: (hold, options) => api.post(`${url(id)}/holds`, hold, options),
  })

export const useReleaseHold = (id: string) =>
  useUndoable<Pick<Hold, 'id' | 'amount'>>({
    about: undoable.release(id),
    said: ({ amount }) => `${formatMoney(amount)} released`,
    needs: 'signature',
    send: ({ id: holdId }, options) =>
      api.post(`${url(id)}/holds/${encodeURIComponent(holdId)}/release`, undefined, options),
  })

export type CorrectionKind = 'bonus' | 'release' | 'adjustment'

export type Correction = { kind: CorrectionKind; amount: number; type?: Transaction['type']; note: string }

/** Proposes; another treasurer confirms [D-R2]. */
export const useProposeCorrection = (id: string) =>
  useStaffAction(({ kind, ...change }: Correction, options) => api.post(`${url(id)}/${kind}`, change, options), [
    'amount',
    'type',
    'note',
  ])
