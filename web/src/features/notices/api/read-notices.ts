import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { queryKeys } from '@/lib/query-keys'

/** One notice, or one and all older ones. */
type Read = { id: string } | { upTo: string }

export function useReadNotices() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (read: Read) => api.put('/notices/read', read),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.notices }),
  })
}
