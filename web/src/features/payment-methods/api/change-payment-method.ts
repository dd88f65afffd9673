import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'

/** `image` is a data URL; without one the stored picture stays. */
export type MethodFields = {
  currency: string
  network: string
  address: string
  memo?: string
  label?: string
  image?: string
}

export const methodFieldNames = ['currency', 'network', 'address', 'memo', 'label', 'image'] as const

const meta = { fallbackMessage: 'An error occurred', inlineFields: methodFieldNames }

function useRefresh() {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: queryKeys.paymentMethods })
}

export const useAddPaymentMethod = () =>
  useMutation({
    mutationFn: ({ fields, idempotencyKey }: { fields: MethodFields; idempotencyKey: string }) =>
      api.post('/payment-methods', fields, { idempotencyKey }),
    onSuccess: useRefresh(),
    meta,
  })

export const useEditPaymentMethod = (id: string) =>
  useMutation({
    mutationFn: ({ fields }: { fields: MethodFields }) => api.put(`/payment-methods/${id}`, fields),
    onSuccess: useRefresh(),
    meta,
  })

export const useDeletePaymentMethod = () =>
  useMutation({
    mutationFn: (id: string) => api.delete(`/payment-methods/${id}`),
    onSuccess: useRefresh(),
    meta: { fallbackMessage: 'An error occurred' },
  })
