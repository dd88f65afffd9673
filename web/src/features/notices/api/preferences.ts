import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { NoticePreferences } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

export const useNoticePreferences = () =>
  useQuery({
    queryKey: [...queryKeys.notices, 'preferences'],
    queryFn: ({ signal }) => api.get<NoticePreferences>('/notices/preferences', { signal }),
    meta: { silent: true },
  })

export function useChooseNotices() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (chosen: Pick<NoticePreferences, 'mail' | 'push'>) => api.put<NoticePreferences>('/notices/preferences', chosen),
    onSuccess: (saved) => client.setQueryData([...queryKeys.notices, 'preferences'], saved),
  })
}
