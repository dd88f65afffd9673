import { useQuery } from '@tanstack/react-query'
import { adminKeys } from '@/features/admin/api/keys'
import type { Verdict } from '@/features/admin/api/types'
import { usePending, useUndoable } from '@/features/admin/undo'
import { api } from '@/lib/api-client'
import { useMember } from '@/lib/session'

const LOOK_AGAIN_MS = 20_000
/** The server makes as many as it can in the time of a request: the others are made by the next one. */
const GO_ON_MS = 2_000

type Answer = { verdicts: Verdict[]; complete: boolean }

/** What the checklists of open transactions come to, by transaction; until `isComplete` more of them come. */
export function useVerdicts() {
  const { data, isError } = useQuery({
    queryKey: adminKeys.verdicts,
    queryFn: ({ signal }) => api.get<Answer>('/admin/queue/verdicts', { signal }),
    refetchInterval: ({ state }) => (state.data?.complete === false ? GO_ON_MS : LOOK_AGAIN_MS),
    meta: { silent: true },
  })
  const me = useMember()
  const claims = usePending<Claim>(CLAIM)
  const claimed = (one: Verdict): Verdict => {
    const last = claims.findLast(({ id }) => id === one.transactionId)
    return last ? { ...one, claimedBy: last.release ? undefined : me.id } : one
  }
  const verdicts = new Map(data?.verdicts.map((one) => [one.transactionId, claimed(one)]))
  return { verdicts, isComplete: data?.complete ?? isError }
}

type Claim = { id: string; reference: string; release: boolean }

const CLAIM = 'claim'

/** Claims a transaction for half an hour, or gives it back. */
export const useClaim = () =>
  useUndoable<Claim>({
    about: CLAIM,
    said: ({ reference, release }) => (release ? `${reference} is no longer claimed` : `${reference} claimed`),
    send: ({ id, release }, options) => {
      const url = `/admin/transactions/${encodeURIComponent(id)}/claim`
      return release ? api.delete(url, options) : api.put(url, undefined, options)
    },
  })
