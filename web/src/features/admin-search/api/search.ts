import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { adminKeys } from '@/features/admin/api/keys'
import type { Found } from '@/features/admin/api/types'
import { api } from '@/lib/api-client'
import { withQuery } from '@/lib/paged-query'

/** Fewer characters find too much; the server refuses them. */
const LEAST = 2

export const isSearchable = (text: string) => text.trim().length >= LEAST

/** Members, transactions and payments that match. The last result stays while the next one is awaited. */
export const useSearch = (text: string) =>
  useQuery({
    queryKey: adminKeys.search(text),
    queryFn: ({ signal }) => api.get<Found>(withQuery('/admin/search', { q: text }), { signal }),
    enabled: isSearchable(text),
    placeholderData: keepPreviousData,
    meta: { silent: true },
  })
