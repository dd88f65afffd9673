import { useQuery } from '@tanstack/react-query'
import { adminKeys } from '@/features/admin/api/keys'
import type { MovementKind, Treasury } from '@/features/admin/api/types'
import { useStaffAction } from '@/features/admin/api/use-staff-action'
import { api } from '@/lib/api-client'

const POLL_MS = 30_000

/** The operator's money, and what stands behind plans. */
export const useTreasury = () =>
  useQuery({
    queryKey: adminKeys.treasury,
    queryFn: ({ signal }) => api.get<Treasury>('/admin/treasury', { signal }),
    refetchInterval: POLL_MS,
    meta: { silent: true },
  })

export type NewMovement = {
  kind: MovementKind
  amount: number
  planId?: string
  asset?: string
  source?: string
  network?: string
  txid?: string
  document?: string
  issuer?: string
  documentAt?: string
  /** The document as a data URL. */
  file?: string
  note: string
}

export const movementFields = ['kind', 'amount', 'planId', 'asset', 'source', 'network', 'txid', 'document', 'issuer', 'documentAt', 'file', 'note'] as const

/** Proposes a movement; another treasurer confirms. */
export const useProposeMovement = () =>
  useStaffAction((movement: NewMovement, options) => api.post('/admin/treasury/movements', movement, options), movementFields)
