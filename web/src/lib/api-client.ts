/** Calls of the `/v1` contract: bearer token, idempotency key, the second factor where it is asked for, and the end of a session on 401. */
import { toApiError, type ApiError } from './api-error'
import { send, sendForFile, sendForPart, type ApiRequest } from './http'
import { notify } from './notify'
import { queryClient } from './query-client'
import { queryKeys } from './query-keys'
import { endSession, useSession } from './session'

export type Answer<T = object> = { success: boolean; message?: string } & T

export type CallOptions = {
  /** Sent as `Idempotency-Key`, so that a repeated submission has one effect. */
  idempotencyKey?: string
  /** A call that visitors make too: its 401 says nothing about the stored session. */
  isPublic?: boolean
  signal?: AbortSignal
  /** Sent even if the page is closed meanwhile. */
  keepalive?: boolean
}

async function call<T>(request: ApiRequest, { idempotencyKey, isPublic = false, signal, keepalive }: CallOptions): Promise<Answer<T>> {
  const headers: Record<string, string> = idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {}
  return confirmed(() => watched(() => answered(() => send<Answer<T>>({ ...request, headers, signal, keepalive })), isPublic))
}

type AskForFactor = (digest?: string) => Promise<void>

let askForFactor: AskForFactor | undefined

/** How a fresh second factor is asked for, or a passkey that signs a decision, on the pages that may need one. */
export const onStepUp = (ask: AskForFactor) => {
  askForFactor = ask
}

/** A decision of staff may take both: the factor, then the signature. One that decides several things takes a signature for each. */
const MOST_QUESTIONS = 21

/** Where a fresh second factor is required, asks for it and sends the very same again [D-A3] [D-B3]. */
async function confirmed<T>(send: () => Promise<T>): Promise<T> {
  const asked = new Set<string | undefined>()
  for (;;) {
    try {
      return await send()
    } catch (cause) {
      const { code, digest } = toApiError(cause)
      const isAsked = code === 'STEP_UP_REQUIRED' || code === 'PASSKEY_SIGNATURE_REQUIRED'
      if (!isAsked || !askForFactor || asked.has(digest) || asked.size === MOST_QUESTIONS) throw cause
      asked.add(digest)
      await askForFactor(digest)
    }
  }
}

const IN_FLIGHT_TRIES = 5
const IN_FLIGHT_PAUSE_MS = 1_000

/** A browser that lost its connection sends a request again by itself; its first copy may still be at work. */
async function answered<T>(send: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await send()
    } catch (cause) {
      if (toApiError(cause).code !== 'IDEMPOTENCY_KEY_IN_FLIGHT' || tries === IN_FLIGHT_TRIES) throw cause
      await new Promise((resolve) => setTimeout(resolve, IN_FLIGHT_PAUSE_MS))
    }
  }
}

/** Runs a request, and looks whether its refusal says that the session is over. */
async function watched<T>(request: () => Promise<T>, isPublic: boolean): Promise<T> {
  const { token, left } = useSession.getState()
  // During a logout the server may end the session before this request reaches it, and the screen is about to close.
  if (!isPublic && left) return new Promise(() => {})
  try {
    return await request()
  } catch (cause) {
    const error = toApiError(cause)
    if (!isPublic && token) noticeSessionLoss(error, token)
    throw error
  }
}

/** A refused token ends the session it belongs to, and only that one. */
function noticeSessionLoss(error: ApiError, token: string) {
  const session = useSession.getState()
  if (session.token !== token || session.left) return
  if (error.status === 401) {
    endSession()
    notify.error(error.message)
  } else if (error.code === 'EMAIL_NOT_VERIFIED') {
    // The session check knows best: right after a verification some part of the server may not know of it yet.
    void queryClient.invalidateQueries({ queryKey: queryKeys.session })
  }
}

export const api = {
  get: <T>(url: string, options: CallOptions = {}) => call<T>({ method: 'GET', url }, options),
  post: <T = object>(url: string, data?: unknown, options: CallOptions = {}) =>
    call<T>({ method: 'POST', url, data }, options),
  put: <T = object>(url: string, data?: unknown, options: CallOptions = {}) =>
    call<T>({ method: 'PUT', url, data }, options),
  delete: <T = object>(url: string, options: CallOptions = {}) => call<T>({ method: 'DELETE', url }, options),
  file: (url: string) => confirmed(() => watched(() => sendForFile({ method: 'GET', url }), false)),
  filePart: (url: string) => watched(() => sendForPart({ method: 'GET', url }), false),
}
