import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { adminKeys } from '@/features/admin/api/keys'
import { useStaffAction } from '@/features/admin/api/use-staff-action'
import type { Review, Viewer } from '@/features/admin/api/types'
import { withQuery } from '@/lib/paged-query'

const LOOK_AGAIN_MS = 15_000
/** While a payout is being made, to show when the chain has it. */
const LOOK_FOR_PAYOUT_MS = 5_000
/** Twice within the 20 seconds for which it counts. */
const VIEWING_MS = 10_000

const url = (id: string) => `/admin/transactions/${encodeURIComponent(id)}`

/** A payment that is looked at instead of the claimed one. */
export type Chosen = { txid: string; vout: string | null }

/** A transaction with its checklist; asked for again, since somebody else may decide it meanwhile. */
export const useReview = (id: string, chosen?: Chosen) =>
  useQuery({
    queryKey: [...adminKeys.review(id), chosen],
    queryFn: ({ signal }) => api.get<Review>(withQuery(url(id), { ...chosen }), { signal }),
    // While another payment is looked at, the page and what was begun on it stay.
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.transaction.paying ? LOOK_FOR_PAYOUT_MS : LOOK_AGAIN_MS),
    meta: { silent: true },
  })

/** Shows the others that this transaction is open here, and asks who else has it open. */
export const useViewers = (id: string) =>
  useQuery({
    queryKey: adminKeys.viewers(id),
    queryFn: () => api.post<{ viewers: Viewer[] }>(`${url(id)}/viewing`),
    select: ({ viewers }) => viewers,
    refetchInterval: VIEWING_MS,
    retry: false,
    meta: { silent: true },
  })

export type Approval = { revision: number; receivedAmount?: number; txid?: string; vout?: number; note?: string; evidenceAt?: string }

export const useApprove = (id: string) =>
  useStaffAction((approval: Approval, options) => api.post<{ needsSecond?: boolean }>(`${url(id)}/approve`, approval, options), [
    'receivedAmount',
    'txid',
    'vout',
    'note',
  ])

export type Rejection = { revision: number; reasonCode: string; note?: string }

export const useReject = (id: string) =>
  useStaffAction((rejection: Rejection, options) => api.post(`${url(id)}/reject`, rejection, options), ['reasonCode'])

/** Proposes to take it back; another treasurer confirms [D-B9]. */
export const useProposeReversal = (id: string) =>
  useStaffAction((reversal: { note: string }, options) => api.post(`${url(id)}/reverse`, reversal, options), ['note'])

/** Proposes to pay the course back; another treasurer confirms [D-C9]. */
export const useProposeRefund = (memberId: string) =>
  useStaffAction((refund: { note: string }, options) => api.post(`/admin/members/${memberId}/course/refund`, refund, options), ['note'])

export type PayoutCorrection = { outcome: 'other_transaction' | 'not_sent' | 'arrived'; txid?: string; vout?: number; note: string }

/** Proposes what became of a payout that was sent; another treasurer confirms [D-N4]. */
export const useCorrectPayout = (id: string) =>
  useStaffAction((correction: PayoutCorrection, options) => api.post(`${url(id)}/correct-payout`, correction, options), ['txid', 'vout', 'note'])

export type PaymentReturn = { arrivedTxid: string; arrivedVout?: number; amount: number; address: string; memo?: string; txid: string; vout?: number; note: string }

/** Proposes that a rejected payment went back; another treasurer confirms [D-M5]. */
export const useReturnPayment = (transactionId: string) =>
  useStaffAction(
    (values: PaymentReturn, options) => api.post('/admin/treasury/movements', { kind: 'refund', transactionId, ...values }, options),
    ['arrivedTxid', 'arrivedVout', 'amount', 'address', 'txid', 'vout', 'note'],
  )

/** Starts a payout, or goes on with it. */
export const useLeasePayout = (id: string) =>
  useStaffAction((start: { revision: number }, options) => api.post(`${url(id)}/paying`, start, options))

export type Payout = { revision: number; txid: string; vout?: number; evidenceAt?: string }

export const useMarkPaid = (id: string) =>
  useStaffAction((payout: Payout, options) => api.post(`${url(id)}/paid`, payout, options), ['txid', 'vout'])
