import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { adminKeys } from './keys'
import { useStaffAction } from './use-staff-action'
import type { PlatformMethod } from './types'

/** The platform's own addresses, each with all its versions. */
export const usePlatformMethods = () =>
  useQuery({
    queryKey: adminKeys.methods,
    queryFn: ({ signal }) => api.get<{ paymentMethods: PlatformMethod[] }>('/admin/payment-methods', { signal }),
    select: ({ paymentMethods }) => paymentMethods,
    meta: { silent: true },
  })

export type MethodTerms = { currency: string; network: string; address: string; memo?: string; label?: string; image?: string; signature?: string }

export const methodFields = ['currency', 'network', 'address', 'memo', 'label', 'image', 'signature'] as const

/** Proposes a new method, or another version of the one of this id. */
export const useProposeMethod = (id?: string) =>
  useStaffAction(
    (terms: MethodTerms, options) =>
      id
        ? api.put(`/admin/payment-methods/${encodeURIComponent(id)}`, terms, options)
        : api.post('/admin/payment-methods', terms, options),
    methodFields,
  )

export const useProposeArchive = (id: string) =>
  useStaffAction((_: null, options) => api.delete(`/admin/payment-methods/${encodeURIComponent(id)}`, options))

/** Attaches what the private key of the address signed. */
export const useProveAddress = (id: string) =>
  useStaffAction(
    (proof: { message: string; signature: string }, options) =>
      api.post(`/admin/payment-methods/${encodeURIComponent(id)}/proof`, proof, options),
    ['message', 'signature'],
  )

/** Attaches a signature of the treasury key to the current version. */
export const useSignMethod = (id: string) =>
  useStaffAction(
    (signed: { version: number; signature: string }, options) =>
      api.post(`/admin/payment-methods/${encodeURIComponent(id)}/signature`, signed, options),
    ['signature'],
  )
