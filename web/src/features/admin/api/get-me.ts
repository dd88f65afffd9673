import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { adminKeys } from './keys'
import type { Me } from './types'

/** Who the caller is to the back office, and how their second factor stands. */
export const meQuery = queryOptions({
  queryKey: adminKeys.me,
  queryFn: ({ signal }) => api.get<Me>('/admin/me', { signal }),
  staleTime: 60_000,
  meta: { silent: true },
})

const LOOK_AGAIN_MS = 60_000

/** Asked for again while the role is too new to decide, since that ends. */
export const useMe = () => useQuery({ ...meQuery, refetchInterval: ({ state }) => (state.data?.decidesFrom ? LOOK_AGAIN_MS : false) })

/** Asks for the caller again, after their second factor changed. */
export function useRefreshMe() {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: adminKeys.me })
}
