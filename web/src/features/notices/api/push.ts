import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { PushState } from '@/lib/api-types'
import { turnOff, turnOn } from '@/lib/push-device'
import { queryKeys } from '@/lib/query-keys'

const queryKey = [...queryKeys.notices, 'push']

export const usePush = () =>
  useQuery({
    queryKey,
    queryFn: ({ signal }) => api.get<PushState>('/notices/push', { signal }),
    meta: { silent: true },
  })

/** Turns notices on this device on or off; `false` if the browser does not permit them. */
export function useSwitchPush(publicKey: string, memberId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (wanted: boolean) => {
      if (wanted) return turnOn(publicKey, memberId)
      await turnOff()
      return true
    },
    meta: { fallbackMessage: 'This browser could not be registered for notices. Please try again.' },
    onSettled: () => client.invalidateQueries({ queryKey }),
  })
}
