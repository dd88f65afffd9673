/** One shape for everything that can go wrong with a call. */

import type { ErrorCode } from './api-types'

export type ErrorBody = { success?: boolean; message?: string; code?: ErrorCode | typeof NETWORK_ERROR; requestId?: string; errors?: Record<string, string>; digest?: string; matters?: string[]; nonce?: string }

/** The code of a call that the network lost. */
export const NETWORK_ERROR = 'NETWORK_ERROR'

let worded = (body: ErrorBody) => body

/** How refusals are put into words from now on; the server's own stand until then. */
export const putIntoWords = (words: typeof worded) => {
  worded = words
}

export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The HTTP status, or `undefined` when no answer arrived. */
  readonly status: number | undefined
  readonly code: ErrorBody['code']
  readonly requestId: string | undefined
  readonly fields: Record<string, string>
  /** Of the decision that the passkey has to sign. */
  readonly digest: string | undefined
  /** What a proof has to name instead of the time, because this machine's clock is wrong. */
  readonly nonce: string | undefined
  /** What keeps an account from being closed. */
  readonly matters: readonly string[]
  /** The server's own words, if it had any. */
  readonly serverMessage: string | undefined

  constructor(message: string, status?: number, said: ErrorBody = {}) {
    const body = worded(said)
    super(body.message || message)
    this.status = status
    this.code = body.code
    this.requestId = body.requestId
    this.fields = body.errors ?? {}
    this.digest = body.digest
    this.nonce = body.nonce
    this.matters = body.matters ?? []
    this.serverMessage = body.message || undefined
  }

  /** No answer, or one that says nothing about the request itself: asking again may help. */
  get isTransient() {
    const { status } = this
    return status === undefined || status >= 500 || status === 408 || status === 429
  }
}

export const networkError = () => new ApiError('Network Error', undefined, { code: NETWORK_ERROR })

export function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null
}

/** Anything but JSON says nothing. */
export const bodyOf = (data: unknown) => (isErrorBody(data) ? data : {})

export function toApiError(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause
  return new ApiError(cause instanceof Error ? cause.message : 'An error occurred')
}

/** What the member can do about it, where the message does not say so. */
export const adviceOn = (error: unknown): string | undefined =>
  toApiError(error).code === NETWORK_ERROR ? 'Please check your connection and try again.' : undefined

/** What to tell the member: the server's message, else the caller's fallback, else the error's own [MSG-01]. */
export function messageOf(error: unknown, fallback?: string): string {
  const { serverMessage, message } = toApiError(error)
  return serverMessage ?? fallback ?? message
}
