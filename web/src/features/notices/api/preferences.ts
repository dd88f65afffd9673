import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { MailPreferences, NoticePreferences } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

export const useNoticePreferences = () =>
  useQuery({
    queryKey: [...queryKeys.notices, 'preferences'],
    queryFn: ({ signal }) => api.get<NoticePreferences>('/notices/preferences', { signal }),
    meta: { silent: true },
  })

export function useChooseMails() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (mail: MailPreferences) => api.put<NoticePreferences>('/notices/preferences', { mail }),
    onSuccess: (saved) => client.setQueryData([...queryKeys.notices, 'preferences'], saved),
  })
}
