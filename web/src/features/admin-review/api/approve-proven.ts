import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { adminKeys } from '@/features/admin/api/keys'
import type { Review, StaffTransaction } from '@/features/admin/api/types'
import { api } from '@/lib/api-client'
import { toApiError } from '@/lib/api-error'
import { randomId } from '@/lib/id'
import { useWaiting } from './list-waiting'
import type { Approval } from './review-transaction'

/** Deposits whose evidence is read at once; the longest waiting come first. */
const MOST = 20
const LOOK_AGAIN_MS = 20_000

const url = (id: string) => `/admin/transactions/${encodeURIComponent(id)}`

export type Proven = { transaction: StaffTransaction; approval: Approval; payment: NonNullable<Review['evidence']>['payments'][number] }

/** A deposit is proven by one final payment of exactly its amount, with nothing on the checklist that needs attention. */
export function proven({ transaction, checks, evidence }: Review): Proven | null {
  const [payment, ...others] = evidence?.payments ?? []
  if (!evidence?.at || !payment || others.length > 0 || payment.state !== 'final') return null
  if (transaction.firstApproval || evidence.suggestedAmount !== transaction.amount) return null
  if (!checks.every(({ ok, state }) => ok && state === 'ok')) return null
  const { revision, amount } = transaction
  const approval = { revision, receivedAmount: amount, txid: payment.txid, vout: payment.index, evidenceAt: evidence.at }
  return { transaction, approval, payment }
}

/** The waiting deposits that the chain proves, the longest waiting first. */
export function useProven(isAllowed: boolean): Proven[] {
  const { data } = useWaiting()
  const waiting = data?.filter(({ kind, status }) => kind === 'deposit' && status === 'pending').slice(0, MOST) ?? []
  return useQueries({
    queries: waiting.map(({ id }) => ({
      queryKey: [...adminKeys.review(id), 'proof'],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.get<Review>(url(id), { signal }),
      refetchInterval: LOOK_AGAIN_MS,
      enabled: isAllowed,
      meta: { silent: true },
    })),
    combine: (found) => found.flatMap(({ data: review }) => (review ? (proven(review) ?? []) : [])),
  })
}

export type Outcome = { id: string; ok: boolean; text: string }

/** Approves each deposit in a request of its own, with its revision, evidence and key, and so with its own row of the audit log. */
export function useApproveProven() {
  const client = useQueryClient()
  const keys = useRef(new Map<string, string>())
  const approve = async ({ transaction, approval }: Proven): Promise<Outcome> => {
    const { id } = transaction
    const content = JSON.stringify([id, approval])
    const idempotencyKey = keys.current.get(content) ?? randomId()
    keys.current.set(content, idempotencyKey)
    try {
      const { needsSecond } = await api.post<{ needsSecond?: boolean }>(`${url(id)}/approve`, approval, { idempotencyKey })
      return { id, ok: true, text: needsSecond ? 'Approved, awaiting a second reviewer' : 'Approved' }
    } catch (cause) {
      const error = toApiError(cause)
      if (!error.isTransient) keys.current.delete(content)
      return { id, ok: false, text: error.message }
    }
  }
  return useMutation({
    mutationFn: async (set: Proven[]) => {
      const outcomes: Outcome[] = []
      // One after another: a passkey signs each decision.
      for (const one of set) outcomes.push(await approve(one))
      return outcomes
    },
    onSettled: () => void client.invalidateQueries({ queryKey: adminKeys.all }),
  })
}
