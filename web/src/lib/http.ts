/** One request to the API; every failure leaves as an `ApiError`. */
import axios, { isAxiosError, isCancel, type AxiosError, type AxiosRequestConfig, type AxiosResponse } from 'axios'
import { ApiError, NETWORK_ERROR, isErrorBody } from './api-error'
import { noteCall } from './connection'
import { credentials, takeNonce } from './device-key'
import { takeEarlyAnswer } from './early-answers'
import { apiUrl } from './env'
import { useSession } from './session'

export type ApiRequest = Pick<AxiosRequestConfig<unknown>, 'data' | 'signal'> & {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers?: Record<string, string>
  /** Sent even if the page is closed meanwhile. */
  keepalive?: boolean
}

const http = axios.create({ baseURL: apiUrl, withCredentials: true })

http.interceptors.request.use(async (config) => {
  const { token } = useSession.getState()
  if (token) config.headers.set(await credentials(token, config.method ?? 'GET', apiUrl + (config.url ?? '')))
  return config
})

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
  if (answer === 'lost') {
    noteCall({ answered: false })
    throw new ApiError('Network Error', undefined, { code: NETWORK_ERROR })
  }
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

async function ask<T>(request: AxiosRequestConfig, isRepeated = false): Promise<AxiosResponse<T>> {
  try {
    const response = await http.request<T>(request)
    noteCall({ answered: true })
    return response
  } catch (cause) {
    const error = isAxiosError<unknown>(cause) && !isCancel(cause) ? await failure(cause) : cause
    if (error instanceof ApiError && error.status === 401 && !isRepeated && takeNonce(error.nonce)) return ask(request, true)
    throw error
  }
}

async function failure({ config, message, response }: AxiosError<unknown>): Promise<ApiError> {
  // A lost change can be repeated at once; if there is no network, the next read shows it.
  if (response || config?.method === 'get') noteCall({ answered: response !== undefined })
  if (!response) return new ApiError('Network Error', undefined, { code: NETWORK_ERROR })
  const { data, status } = response
  return new ApiError(message, status, bodyOf(data instanceof Blob ? await data.text().then(JSON.parse).catch(() => null) : data))
}

/** Anything but JSON says nothing. */
const bodyOf = (data: unknown) => (isErrorBody(data) ? data : {})
