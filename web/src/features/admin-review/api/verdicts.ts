import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { adminKeys } from '@/features/admin/api/keys'
import { useStaffName } from '@/features/admin/api/staff'
import type { Verdict, WaitingTransaction } from '@/features/admin/api/types'
import { useMay } from '@/features/admin/permissions'
import { usePending, useUndoable } from '@/features/admin/undo'
import { api } from '@/lib/api-client'
import { notify } from '@/lib/notify'
import { useMember } from '@/lib/session'

const LOOK_AGAIN_MS = 20_000
/** The server makes as many as it can in the time of a request: the others are made by the next one. */
const GO_ON_MS = 2_000

type Answer = { verdicts: Verdict[]; complete: boolean }

const verdictsQuery = queryOptions({
  queryKey: adminKeys.verdicts,
  queryFn: ({ signal }) => api.get<Answer>('/admin/queue/verdicts', { signal }),
  meta: { silent: true },
})

/** What the checklists of open transactions come to, by transaction; until `isComplete` more of them come. */
export function useVerdicts() {
  const { data, isError } = useQuery({
    ...verdictsQuery,
    refetchInterval: ({ state }) => (state.data?.complete === false ? GO_ON_MS : LOOK_AGAIN_MS),
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

/** Claims a transaction for half an hour, or gives it back; of one that somebody else has, it says who. Only for roles that decide. */
export function useToggleClaim() {
  const client = useQueryClient()
  const me = useMember()
  const may = useMay()
  const staffName = useStaffName()
  const sayTaken = (reference: string, by: string, name?: string) => notify.info(`${reference} is claimed by ${staffName(by, name)}`)
  const claim = useUndoable<Claim>({
    about: CLAIM,
    said: ({ reference, release }) => (release ? `${reference} is no longer claimed` : `${reference} claimed`),
    needs: 'factor',
    send: async ({ id, reference, release }, options) => {
      const url = `/admin/transactions/${encodeURIComponent(id)}/claim`
      if (release) return api.delete(url, options)
      const { claimedBy } = await api.put<{ claimedBy?: string }>(url, undefined, options)
      if (!claimedBy || claimedBy === me.id) return
      // The verdicts have the name of the colleague who was quicker.
      const known = await client.fetchQuery({ ...verdictsQuery, staleTime: 0 }).catch(() => undefined)
      sayTaken(reference, claimedBy, known?.verdicts.find(({ transactionId }) => transactionId === id)?.claimedByName)
    },
  })
  if (!may('decide') && !may('pay')) return undefined
  return ({ id, reference }: Pick<WaitingTransaction, 'id' | 'reference'>, verdict?: Verdict) => {
    const { claimedBy, claimedByName } = verdict ?? {}
    if (claimedBy && claimedBy !== me.id) sayTaken(reference, claimedBy, claimedByName)
    else void claim({ id, reference, release: claimedBy === me.id })
  }
}
