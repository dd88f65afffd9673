import { useInfiniteQuery, type QueryKey } from '@tanstack/react-query'
import { api } from './api-client'

type Params = Record<string, string | null | undefined>

/** A path with its query; parameters that are empty or missing are left out. */
export function withQuery(path: string, params: Params): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) if (value) query.set(name, value)
  return query.size > 0 ? `${path}?${query.toString()}` : path
}

type Options = { params?: Params; enabled?: boolean; pollMs?: number; silent?: boolean }

/** A list that the API sends in pages, newest first; `silent` if the page shows the error itself. */
export function usePagedQuery<Page extends { nextCursor?: string | null }>(
  queryKey: QueryKey,
  path: string,
  { params, enabled = true, pollMs, silent = false }: Options = {},
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => api.get<Page>(withQuery(path, { ...params, cursor: pageParam }), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor ?? null,
    enabled,
    refetchInterval: pollMs ?? false,
    meta: { silent },
  })
  return { ...query, pages: query.data?.pages }
}
