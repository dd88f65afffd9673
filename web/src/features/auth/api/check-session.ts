import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { User } from '@/lib/api-types'
import { isOffline } from '@/lib/connection'
import { recallLastData } from '@/lib/last-data'
import { FRESH_MS } from '@/lib/query-client'
import { queryKeys } from '@/lib/query-keys'
import { refreshSession, useSession } from '@/lib/session'

type Check = { user: User; token?: string; degraded?: boolean }

/** Often enough to renew the token of an active member before its half hour is over. */
const RENEW_EVERY_MS = 5 * 60_000

/** Without a network, the pages show the last loaded data. */
async function checkSession({ client }: { client: QueryClient }) {
  try {
    const answer = await api.get<Check>('/auth/check')
    refreshSession(answer.user, answer.token)
    return answer
  } catch (cause) {
    if (isOffline()) await recallLastData(client)
    throw cause
  }
}

export const sessionQuery = queryOptions({ queryKey: queryKeys.session, queryFn: checkSession, staleTime: FRESH_MS })

/** The session check: runs while a token is stored, and never for a visitor [AUTH-14]. */
export function useSessionCheck() {
  const hasToken = useSession((session) => session.token !== null)
  const query = useQuery({
    ...sessionQuery,
    enabled: hasToken,
    refetchInterval: RENEW_EVERY_MS,
  })
  return { isChecking: hasToken && query.isPending, ...query }
}
