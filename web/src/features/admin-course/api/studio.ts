import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { useSubmissionKey } from '@/lib/submission'
import type { Content, Studio } from './types'

/** Not among the keys of the back office: a fresh look would replace what is being written. */
const keys = {
  studio: ['admin-course'],
  version: (number: number) => ['admin-course', 'version', number],
} as const

/** The draft, or the published version while there is none. */
export const useStudio = () =>
  useQuery({
    queryKey: keys.studio,
    queryFn: ({ signal }) => api.get<Studio>('/admin/course', { signal }),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    meta: { silent: true },
  })

/** Shows what the server has, instead of what is on the screen. */
export function useReloadStudio() {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: keys.studio, exact: true })
}

/** A version never changes. */
export const useVersion = (number: number, enabled: boolean) =>
  useQuery({
    queryKey: keys.version(number),
    queryFn: async ({ signal }) => (await api.get<{ content: Content }>(`/admin/course/versions/${number}`, { signal })).content,
    staleTime: Infinity,
    enabled,
  })

/** `null` discards the draft. */
export const saveDraft = (revision: number, content: Content | null) =>
  api.put<{ revision: number; changedAt?: string }>('/admin/course/draft', { revision, content })

function usePublication<Values>(send: (values: Values, key: string) => Promise<unknown>) {
  const reload = useReloadStudio()
  const key = useSubmissionKey()
  return useMutation({
    mutationFn: (values: Values) => send(values, key.for(values)),
    onSuccess: reload,
    onSettled: (_answer, error) => key.settle(error ?? undefined),
    meta: { inlineCodes: ['VALIDATION_FAILED'] },
  })
}

/** Publishes the draft as a new version. */
export const usePublish = () =>
  usePublication((values: { revision: number; published: number }, idempotencyKey) =>
    api.post('/admin/course/publish', values, { idempotencyKey }),
  )

/** Goes back to another version. */
export const useRestore = () =>
  usePublication(({ number, published }: { number: number; published: number }, idempotencyKey) =>
    api.post(`/admin/course/versions/${number}/restore`, { published }, { idempotencyKey }),
  )
