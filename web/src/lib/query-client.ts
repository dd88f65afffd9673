/** TanStack Query with the product's rules: retries, cache life, and one toast per failed call. */
import { MutationCache, QueryCache, QueryClient, type Mutation, type QueryKey } from '@tanstack/react-query'
import { adviceOn, messageOf, toApiError } from './api-error'
import { isOffline } from './connection'
import { dropEarlyAnswers } from './early-answers'
import { notify } from './notify'
import { queryKeys } from './query-keys'
import { endSession, useSession } from './session'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** Fields whose server errors the form shows at the field. */
      inlineFields?: readonly string[]
      /** Refusals that the screen shows in place. */
      inlineCodes?: readonly string[]
      /** Said when the server gave no message of its own. */
      fallbackMessage?: string
      /** The caller shows the outcome itself. */
      silent?: boolean
    }
    queryMeta: { silent?: boolean }
  }
}

/** For data that is requested before its screen is shown: a response that just arrived is not requested again. */
export const FRESH_MS = 2_000

export const RETRIES = 3
export const retryDelay = (attempt: number) => Math.min(1000 * 2 ** attempt, 30_000)

/** A refusal will not change by asking again; a missing answer may, and so may one that has not heard of a verification. */
function shouldRetry(failures: number, error: Error) {
  const { isTransient, code } = toApiError(error)
  const isBehind = code === 'EMAIL_NOT_VERIFIED' && useSession.getState().user?.isVerified === true
  return failures < RETRIES && (isTransient || isBehind)
}

const tell = (error: unknown, fallback?: string) => notify.error(messageOf(error, fallback), adviceOn(error))

const sentence = (text = '') => text.trim().replace(/\.$/, '')

const isSessionCheck = (key: QueryKey) => key[0] === queryKeys.session[0]

const queryCache = new QueryCache({
  onError: (error, query) => {
    const { status } = toApiError(error)
    // A 401 ended the session and said so already.
    if (status === 401) return
    // The check on start must succeed; a later one that fails leaves the session to the next call [AUTH-14].
    if (isSessionCheck(query.queryKey) && query.state.data === undefined) endSession()
    // What is shown stays, and the page says that it is offline.
    const isKept = isOffline() && query.state.data !== undefined
    if (!query.meta?.silent && !isKept) tell(error)
  },
})

/** What a toast says about a failed change; `undefined` where the screen says it in place. */
function refusalOf(error: unknown, meta: Mutation['meta']): string | undefined {
  const { code, fields } = toApiError(error)
  const { silent, inlineFields = [], inlineCodes = [], fallbackMessage } = meta ?? {}
  if (silent || (code && inlineCodes.includes(code))) return undefined
  // The field alone, if the message says the same [D-L7].
  const message = messageOf(error, fallbackMessage)
  return inlineFields.some((field) => sentence(fields[field]) === sentence(message)) ? undefined : message
}

/** Hears what toasts say about failed changes, until the function it returns is called: that returns the last one. */
export function hearRefusals() {
  let last: string | undefined
  const stop = mutationCache.subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error') last = refusalOf(event.action.error, event.mutation.meta) ?? last
  })
  return () => {
    stop()
    return last
  }
}

const mutationCache = new MutationCache({
  onSuccess: (data, _variables, _result, mutation) => {
    const message = (data as { message?: string } | undefined)?.message
    if (message && !mutation.meta?.silent) notify.success(message)
  },
  onError: (error, _variables, _result, mutation) => {
    if (refusalOf(error, mutation.meta) !== undefined) tell(error, mutation.meta?.fallbackMessage)
  },
})

class Client extends QueryClient {
  override invalidateQueries(...args: Parameters<QueryClient['invalidateQueries']>) {
    dropEarlyAnswers()
    return super.invalidateQueries(...args)
  }
}

export const queryClient = new Client({
  queryCache,
  mutationCache,
  defaultOptions: {
    queries: { retry: shouldRetry, retryDelay, gcTime: 300_000, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
})
