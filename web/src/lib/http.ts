/** One request to the API; every failure leaves as an `ApiError`. */
import { ApiError, NETWORK_ERROR, isErrorBody } from './api-error'
import { noteCall } from './connection'
import { credentials, takeNonce } from './device-key'
import { takeEarlyAnswer } from './early-answers'
import { apiUrl } from './env'
import { useSession } from './session'

export type ApiRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  /** Sent as JSON, or as a form. */
  data?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

export async function send<T extends { success: boolean; message?: string }>(request: ApiRequest): Promise<T> {
  const early = request.method === 'GET' ? await takeEarlyAnswer(request.url) : undefined
  if (early) return early as T
  const response = await ask(request)
  const body = await jsonOf(response, request)
  if (!isErrorBody(body) || body.success === false) throw new ApiError('An error occurred', response.status, isErrorBody(body) ? body : {})
  return body as T
}

/** A file; a refusal still comes as JSON. */
export async function sendForFile(request: ApiRequest): Promise<Blob> {
  return received(ask(request).then((response) => response.blob()), request)
}

export type FilePart = { content: Blob; nextCursor: string }

/** A part of a file that comes in several, and where the next one begins. */
export async function sendForPart(request: ApiRequest): Promise<FilePart> {
  const response = await ask(request)
  return { content: await received(response.blob(), request), nextCursor: response.headers.get('x-next-cursor') ?? '' }
}

async function ask(request: ApiRequest, isRepeated = false): Promise<Response> {
  const response = await received(sent(request), request)
  noteCall({ answered: true })
  if (response.ok) return response
  const { status } = response
  const body = await jsonOf(response, request)
  const error = new ApiError(`Request failed with status code ${status}`, status, isErrorBody(body) ? body : {})
  if (status === 401 && !isRepeated && takeNonce(error.nonce)) return ask(request, true)
  throw error
}

async function sent({ method, url, data, headers, signal }: ApiRequest): Promise<Response> {
  const { token } = useSession.getState()
  const address = apiUrl + url
  const isJson = data !== undefined && !(data instanceof FormData)
  return fetch(new URL(address, location.href), {
    method,
    headers: {
      Accept: 'application/json, text/plain, */*',
      ...(isJson ? { 'Content-Type': 'application/json' } : {}),
      ...headers,
      ...(token ? await credentials(token, method, address) : {}),
    },
    body: isJson ? JSON.stringify(data) : data,
    credentials: 'include',
    signal,
  })
}

/** Whatever `fetch` fails with means that the network lost the call, unless the caller gave it up. */
async function received<T>(part: Promise<T>, { method, signal }: ApiRequest): Promise<T> {
  try {
    return await part
  } catch (cause) {
    if (signal?.aborted || cause instanceof ApiError) throw cause
    // A change that was lost by chance can be sent again at once; if there is no network, the next read finds out.
    if (method === 'GET') noteCall({ answered: false })
    throw new ApiError('Network Error', undefined, { code: NETWORK_ERROR })
  }
}

/** Anything but JSON says nothing. */
async function jsonOf(response: Response, request: ApiRequest): Promise<unknown> {
  const text = await received(response.text(), request)
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
