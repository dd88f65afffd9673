import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Answer, CallOptions } from '@/lib/api-client'
import { messageOf, toApiError } from '@/lib/api-error'
import { notify } from '@/lib/notify'
import { useSubmissionKey } from '@/lib/submission'
import { adminKeys } from './keys'
import { withStepUp } from './step-up'

type Send<Values, A> = (values: Values, options: CallOptions) => Promise<Answer<A>>

/**
 * An act of staff: one idempotency key a submission, the second factor where it is asked for, and afterwards a fresh
 * look at everything, because a refusal often means that somebody else was quicker. Forms show the errors of `fields`
 * and a stale revision themselves.
 */
export function useStaffAction<Values, A = object>(send: Send<Values, A>, fields: readonly string[] = []) {
  const client = useQueryClient()
  const key = useSubmissionKey()
  return useMutation({
    mutationFn: (values: Values) => withStepUp(() => send(values, { idempotencyKey: key.for(values) })),
    onSuccess: ({ message }) => {
      if (message) notify.success(message)
    },
    onError: (error) => {
      const { code, fields: refused } = toApiError(error)
      const isShownInPlace = code === 'STALE_REVISION' || fields.some((field) => field in refused)
      if (!isShownInPlace) notify.error(messageOf(error))
    },
    onSettled: (_answer, error) => {
      key.settle(error ?? undefined)
      void client.invalidateQueries({ queryKey: adminKeys.all })
    },
    meta: { silent: true },
  })
}
