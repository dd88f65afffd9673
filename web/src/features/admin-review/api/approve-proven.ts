import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { adminKeys } from '@/features/admin/api/keys'
import type { WaitingTransaction, Verdict } from '@/features/admin/api/types'
import { api } from '@/lib/api-client'
import { toApiError } from '@/lib/api-error'
import { randomId } from '@/lib/id'
import { joined } from '../views'
import { useWaiting } from './list-waiting'
import type { Approval } from './review-transaction'
import { useVerdicts } from './verdicts'

const url = (id: string) => `/admin/transactions/${encodeURIComponent(id)}`

export type Proven = { transaction: WaitingTransaction; approval: Approval; payment: NonNullable<Verdict['provenBy']>['payment'] }

/** The waiting deposits of the whole queue that the chain proves, the longest waiting first. The server says which they are. */
export function useProven(): Proven[] {
  const { data = [] } = useWaiting()
  const { verdicts } = useVerdicts()
  return joined(data, verdicts).flatMap(({ transaction, verdict }) => {
    const { payment, evidenceAt } = verdict?.provenBy ?? {}
    if (!payment) return []
    const { revision, amount } = transaction
    const approval = { revision, receivedAmount: amount, txid: payment.txid, vout: payment.index, ...(evidenceAt ? { evidenceAt } : {}) }
    return [{ transaction, approval, payment }]
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
