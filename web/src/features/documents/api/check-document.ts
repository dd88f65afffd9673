import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { components } from '@/lib/api-schema'

export type DocumentRecord = components['schemas']['DocumentRecord']

/** What is known of the document with this number; needs no session [D-M9]. */
export const useDocument = (number: string) =>
  useQuery({
    // Of visitors alone, so not among the keys that every page loads.
    queryKey: ['document', number],
    queryFn: async ({ signal }) =>
      (await api.get<{ document: DocumentRecord }>(`/documents/${encodeURIComponent(number)}`, { signal })).document,
    enabled: number !== '',
    meta: { silent: true },
  })
