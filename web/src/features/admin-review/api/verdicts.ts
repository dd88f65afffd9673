import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { adminKeys } from '@/features/admin/api/keys'
import type { Verdict } from '@/features/admin/api/types'
import { api } from '@/lib/api-client'

const LOOK_AGAIN_MS = 20_000
/** The server makes as many as it can in the time of a request: the others are made by the next one. */
const GO_ON_MS = 2_000

type Answer = { verdicts: Verdict[]; complete: boolean }

/** What the checklists of open transactions come to, by transaction. */
export function useVerdicts() {
  const { data } = useQuery({
    queryKey: adminKeys.verdicts,
    queryFn: ({ signal }) => api.get<Answer>('/admin/queue/verdicts', { signal }),
    refetchInterval: ({ state }) => (state.data?.complete === false ? GO_ON_MS : LOOK_AGAIN_MS),
    meta: { silent: true },
  })
  return useMemo(() => new Map(data?.verdicts.map((one) => [one.transactionId, one])), [data])
}

/** Claims a transaction for half an hour, or gives it back. */
export function useClaim() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, release }: { id: string; release: boolean }) => {
      const url = `/admin/transactions/${encodeURIComponent(id)}/claim`
      return release ? api.delete(url) : api.put(url)
    },
    onSettled: () => void client.invalidateQueries({ queryKey: adminKeys.verdicts }),
  })
}
