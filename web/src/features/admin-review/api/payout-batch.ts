import { useMutation, useQueryClient } from '@tanstack/react-query'
import { adminKeys } from '@/features/admin/api/keys'
import type { PreparedPayouts, Review, SentPayouts, WaitingTransaction } from '@/features/admin/api/types'
import { useStaffAction } from '@/features/admin/api/use-staff-action'
import { api } from '@/lib/api-client'
import { toApiError } from '@/lib/api-error'
import { secondsSince } from '@/lib/durations'
import { readAsDataUrl } from '@/lib/files'
import { randomId } from '@/lib/id'
import { detected } from '../detected'
import type { Row } from '../views'

const MOST = 20
/** A payout that was started and has less time left is started again: signing takes a while. */
const ENOUGH_SECONDS = 300

const url = (id: string) => `/admin/transactions/${encodeURIComponent(id)}`

export type Together = { label: string; payouts: WaitingTransaction[] }

/** By asset and network, at most as many as one call takes. */
function grouped(rows: readonly WaitingTransaction[], isMeant: (row: WaitingTransaction) => boolean): Together[] {
  const groups = new Map<string, WaitingTransaction[]>()
  for (const row of rows) {
    if (!row.method || row.sentAt || !isMeant(row)) continue
    const label = `${row.method.currency} on ${row.method.network}`
    groups.set(label, [...(groups.get(label) ?? []), row])
  }
  return [...groups].map(([label, payouts]) => ({ label, payouts: payouts.slice(0, MOST) }))
}

/** The payouts of one asset on one network that the caller may pay together, the longest waiting first [D-N5]. One that would be
 *  refused is not offered [U8]: a transaction pays an address once. */
export function together(rows: readonly Row[], me: string): Together[] {
  const taken = new Set<string>()
  const isPayable = ({ destination, method, paying }: WaitingTransaction) => {
    if (!destination || destination.memo || (paying && paying.by !== me)) return false
    const output = `${method?.currency} ${method?.network} ${destination.address}`
    return !taken.has(output) && Boolean(taken.add(output))
  }
  const free = rows.filter(({ verdict }) => !verdict?.blockers.length).map(({ transaction }) => transaction)
  return grouped(free, isPayable).filter(({ payouts }) => payouts.length > 1)
}

/** The payouts that the caller has started and not sent. */
export const startedBy = (rows: readonly WaitingTransaction[], me: string): Together[] => grouped(rows, ({ paying }) => paying?.by === me)

export type Started = { id: string; revision: number }
export type Prepared = { started: Started[]; refusals: Record<string, string> } & Partial<Omit<PreparedPayouts, 'success'>>

/** Starts each payout, and makes one transaction of those that could be started. */
export function usePreparePayouts(me: string) {
  const client = useQueryClient()
  const start = async ({ id, revision, paying }: WaitingTransaction): Promise<Started> => {
    if (paying?.by === me && -secondsSince(paying.until ?? '', Date.now()) > ENOUGH_SECONDS) return { id, revision }
    const answer = await api.post<{ revision: number }>(`${url(id)}/paying`, { revision }, { idempotencyKey: randomId() })
    return { id, revision: answer.revision }
  }
  return useMutation({
    mutationFn: async (payouts: readonly WaitingTransaction[]): Promise<Prepared> => {
      const prepared: Prepared = { started: [], refusals: {} }
      // One after another: a passkey signs each decision.
      for (const one of payouts) {
        try {
          prepared.started.push(await start(one))
        } catch (cause) {
          prepared.refusals[one.id] = toApiError(cause).message
        }
      }
      if (prepared.started.length === 0) return prepared
      return { ...prepared, ...(await api.post<PreparedPayouts>('/admin/payouts/prepare', { payouts: prepared.started })) }
    },
    onSettled: () => void client.invalidateQueries({ queryKey: adminKeys.all }),
  })
}

/** Records the payouts with the transaction that was signed, and sends it. */
export const useSendPayouts = () =>
  useStaffAction((signed: { payouts: Started[]; psbt: string }, options) => api.post<SentPayouts>('/admin/payouts/send', signed, options), ['psbt', 'payouts'])

/** Gives up payouts that the caller has started and not sent. */
export const useDissolvePayouts = () =>
  useStaffAction((payouts: Started[], options) => api.post<{ message: string }>('/admin/payouts/dissolve', { payouts }, options))

/** Marks those as paid whose payment the chain shows, exactly as it was fixed; how many those are. */
export function useRecordDetected() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (started: readonly Started[]) => {
      let recorded = 0
      for (const { id } of started) {
        const review = await api.get<Review>(url(id))
        const found = detected(review)
        if (!found || !review.transaction.approved || review.transaction.sentAt) continue
        const seen = review.evidence?.at ? { evidenceAt: review.evidence.at } : {}
        const paid = { revision: review.transaction.revision, txid: found.txid, vout: found.index, ...seen }
        await api.post(`${url(id)}/paid`, paid, { idempotencyKey: randomId() })
        recorded++
      }
      return recorded
    },
    onSettled: () => void client.invalidateQueries({ queryKey: adminKeys.all }),
  })
}

const MAGIC = 'psbt'

/** A PSBT in base64, from a file that holds its bytes or their base64. */
export async function psbtIn(file: File): Promise<string> {
  const [, base64 = ''] = (await readAsDataUrl(file)).split('base64,')
  const bytes = atob(base64)
  return bytes.startsWith(MAGIC) ? base64 : bytes.replace(/\s/g, '')
}

/** The bytes of a PSBT, as signers read it from a file. */
export const psbtFile = (base64: string) =>
  new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], { type: 'application/octet-stream' })
