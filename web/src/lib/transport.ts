/** How the browser sends what its page did not ask for early (`early-answers.ts`): a first page that needs nothing else stands without it. */
import axios, { isAxiosError, isCancel, type AxiosError, type AxiosRequestConfig, type AxiosResponse } from 'axios'
import { ApiError, bodyOf, networkError } from './api-error'
import { noteCall } from './connection'
import { credentials, takeNonce } from './device-key'
import { apiUrl } from './env'
import { useSession } from './session'

const http = axios.create({ baseURL: apiUrl, withCredentials: true })

http.interceptors.request.use(async (config) => {
  const { token } = useSession.getState()
  if (token) config.headers.set(await credentials(token, config.method ?? 'GET', apiUrl + (config.url ?? '')))
  return config
})

export async function ask<T>(request: AxiosRequestConfig, isRepeated = false): Promise<AxiosResponse<T>> {
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
  if (!response) return networkError()
  const { data, status } = response
  return new ApiError(message, status, bodyOf(data instanceof Blob ? await data.text().then(JSON.parse).catch(() => null) : data))
}
