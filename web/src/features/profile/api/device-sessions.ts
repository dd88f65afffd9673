import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { DeviceSession } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'

const listSessions = async ({ signal }: { signal: AbortSignal }) => {
  const { sessions } = await api.get<{ sessions: DeviceSession[] }>('/auth/sessions', { signal })
  return sessions
}

/** Where the member is logged in. */
export const useDeviceSessions = () => useQuery({ queryKey: queryKeys.deviceSessions, queryFn: listSessions })

export const useEndSessions = () => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (ids: string[]) => Promise.all(ids.map((id) => api.delete(`/auth/sessions/${id}`))),
    // Some may have ended although another could not.
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.deviceSessions }),
  })
}
