import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Case, CaseMessage, CaseSubject, CaseTopic } from '@/lib/api-types'
import { queryKeys } from '@/lib/query-keys'
import { useSubmissionKey } from '@/lib/submission'

type Page = { cases: Case[]; nextCursor?: string | null }
type Thread = { case: Case; messages: CaseMessage[] }

/** Answers of staff are looked for while a case is on the screen. */
const LOOK_AGAIN_MS = 30_000

const url = (id: string) => `/cases/${encodeURIComponent(id)}`

/** The member's cases, newest first. */
export function useCases() {
  const query = useInfiniteQuery({
    queryKey: queryKeys.cases,
    queryFn: ({ pageParam, signal }) => api.get<Page>(`/cases${pageParam ? `?cursor=${encodeURIComponent(pageParam)}` : ''}`, { signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    meta: { silent: true },
  })
  return { ...query, cases: query.data?.pages.flatMap((page) => page.cases) }
}

export const useCase = (id: string) =>
  useQuery({
    queryKey: [...queryKeys.cases, 'one', id],
    queryFn: ({ signal }) => api.get<Thread>(url(id), { signal }),
    refetchInterval: LOOK_AGAIN_MS,
    meta: { silent: true },
  })

export type NewCase = { topic: CaseTopic; subjectKind?: CaseSubject['kind']; reference?: string; complaint: boolean; text: string; file?: string }

/** One key a submission, and afterwards a fresh look at the cases. */
function useCaseAct<Values>(send: (values: Values, idempotencyKey: string) => Promise<{ case: Case }>, fields: readonly string[] = []) {
  const client = useQueryClient()
  const key = useSubmissionKey()
  return useMutation({
    mutationFn: (values: Values) => send(values, key.for(values)),
    onSettled: (_answer, error) => {
      key.settle(error ?? undefined)
      return client.invalidateQueries({ queryKey: queryKeys.cases })
    },
    meta: { inlineFields: fields },
  })
}

export const useOpenCase = () =>
  useCaseAct((values: NewCase, idempotencyKey) => api.post<{ case: Case }>('/cases', values, { idempotencyKey }), ['topic', 'subject', 'text', 'file'])

export const useWriteInCase = (id: string) =>
  useCaseAct((message: { text: string; file?: string }, idempotencyKey) => api.post<{ case: Case }>(`${url(id)}/messages`, message, { idempotencyKey }), ['text', 'file'])

export const useCloseCase = (id: string) =>
  useCaseAct((_: object, idempotencyKey) => api.post<{ case: Case }>(`${url(id)}/close`, undefined, { idempotencyKey }))
