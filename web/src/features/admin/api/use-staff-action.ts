import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Answer, CallOptions } from '@/lib/api-client'
import { useSubmissionKey } from '@/lib/submission'
import { adminKeys } from './keys'

type Send<Values, A> = (values: Values, options: CallOptions) => Promise<Answer<A>>

/**
 * An act of staff: one idempotency key a submission, and afterwards a fresh
 * look at everything, because a refusal often means that somebody else was quicker. Forms show the errors of `fields`
 * at the field, and a stale revision in place.
 */
export function useStaffAction<Values, A = object>(send: Send<Values, A>, fields: readonly string[] = []) {
  const client = useQueryClient()
  const key = useSubmissionKey()
  return useMutation({
    mutationFn: (values: Values) => send(values, { idempotencyKey: key.for(values) }),
    onSettled: (_answer, error) => {
      key.settle(error ?? undefined)
      void client.invalidateQueries({ queryKey: adminKeys.all })
    },
    meta: { inlineFields: fields, inlineCodes: ['STALE_REVISION', 'STALE_EVIDENCE'] },
  })
}
