import type { QueryClient } from '@tanstack/react-query'
import { toApiError } from '@/lib/api-error'
import { queryKeys } from '@/lib/query-keys'

/** A used quote is not shown again; one that was refused is replaced by a new one at once. */
export function forgetQuotes(client: QueryClient, refusal?: unknown) {
  if (refusal === undefined) return client.removeQueries({ queryKey: queryKeys.quotes })
  const { code, fields } = toApiError(refusal)
  if (code === 'QUOTE_USED' || code === 'QUOTE_EXPIRED' || fields.quoteId) void client.resetQueries({ queryKey: queryKeys.quotes })
}
