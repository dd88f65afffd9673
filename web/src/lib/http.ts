/** One request to the API; every failure leaves as an `ApiError`. */
import type { AxiosRequestConfig, AxiosResponse } from 'axios'
import { ApiError, bodyOf, isErrorBody, networkError } from './api-error'
import { noteCall } from './connection'
import { takeEarlyAnswer } from './early-answers'
import { loadChunk } from './load-chunk'
import type * as Transport from './transport'

export type ApiRequest = Pick<AxiosRequestConfig<unknown>, 'data' | 'signal'> & {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers?: Record<string, string>
  /** Sent even if the page is closed meanwhile. */
  keepalive?: boolean
}

export async function send<T extends { success: boolean; message?: string }>({ keepalive, ...request }: ApiRequest): Promise<T> {
  const early = await takeEarlyAnswer(request.url)
  const asked = early && (await readEarly<T>(early))
  if (asked) return asked
  const { data, status } = await ask<T>(keepalive ? { ...request, adapter: 'fetch', fetchOptions: { keepalive } } : request)
  if (!isErrorBody(data) || data.success === false) throw new ApiError('An error occurred', status, bodyOf(data))
  return data
}

/** An early answer counts like any other, so that the query waits before it asks again. */
async function readEarly<T extends { success: boolean }>(answer: Response | 'lost'): Promise<T | undefined> {
  if (answer === 'lost') return lost()
  const data: unknown = await answer.json().catch(() => null)
  if (answer.ok) return isErrorBody(data) && data.success !== false ? (data as T) : undefined
  const error = new ApiError('An error occurred', answer.status, bodyOf(data))
  // A refusal may be about the proof of the key: it is asked for again.
  if (error.isTransient) throw error
  return undefined
}

/** A file; a refusal still comes as JSON, inside the blob. */
export async function sendForFile(request: ApiRequest): Promise<Blob> {
  return (await ask<Blob>({ ...request, responseType: 'blob' })).data
}

export type FilePart = { content: Blob; nextCursor: string }

/** A part of a file that comes in several, and where the next one begins. */
export async function sendForPart(request: ApiRequest): Promise<FilePart> {
  const { data, headers } = await ask<Blob>({ ...request, responseType: 'blob' })
  return { content: data, nextCursor: String(headers['x-next-cursor'] ?? '') }
}

let transport: typeof Transport | undefined

/** Its code comes with the first request. Without it, nothing was sent. A page that is closed cannot wait for it once more. */
async function ask<T>(request: AxiosRequestConfig): Promise<AxiosResponse<T>> {
  transport ??= await loadChunk(() => import('./transport')).catch(lost)
  return transport.ask<T>(request)
}

function lost(): never {
  noteCall({ answered: false })
  throw networkError()
}
