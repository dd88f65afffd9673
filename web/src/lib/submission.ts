/** Idempotency keys: one per submission, kept while the member repeats the same one unanswered. */
import { useRef } from 'react'
import { toApiError } from './api-error'
import { randomId } from './id'

export type SubmissionKey = {
  /** The key for this content: the same until the content changes or an answer was final. */
  for: (content: unknown) => string
  /** Call when the server answered: after a decision the next submission is a new one. */
  settle: (error?: unknown) => void
}

export function useSubmissionKey(): SubmissionKey {
  const pending = useRef<{ key: string; content: string } | null>(null)
  return {
    for: (content) => {
      const signature = JSON.stringify(content)
      if (pending.current?.content !== signature) pending.current = { key: randomId(), content: signature }
      return pending.current.key
    },
    settle: (error) => {
      // Without an answer the first try may still have counted: the repeat must carry the same key.
      // 409 IDEMPOTENCY_KEY_IN_FLIGHT says that very try is still running.
      const cause = error === undefined ? null : toApiError(error)
      if (!cause || !(cause.isTransient || cause.code === 'IDEMPOTENCY_KEY_IN_FLIGHT')) pending.current = null
    },
  }
}
