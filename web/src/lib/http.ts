/** The HTTP client itself, loaded with the first call so that a page that only shows something stays small. */
import axios, { isAxiosError, type AxiosRequestConfig } from 'axios'
import { ApiError, isErrorBody } from './api-error'
import { apiUrl } from './env'
import { useSession } from './session'

export const http = axios.create({ baseURL: apiUrl, withCredentials: true })

http.interceptors.request.use((config) => {
  const { token } = useSession.getState()
  if (token) config.headers.set('Authorization', `Bearer ${token}`)
  return config
})

/** One request; every failure leaves as an `ApiError`. */
export async function send<T extends { success: boolean; message?: string }>(config: AxiosRequestConfig): Promise<T> {
  try {
    const { data, status } = await http.request<T>(config)
    if (data.success === false) throw new ApiError('An error occurred', status, data)
    return data
  } catch (cause) {
    if (!isAxiosError(cause)) throw cause
    const body: unknown = cause.response?.data
    throw new ApiError(cause.message, cause.response?.status, isErrorBody(body) ? body : {})
  }
}

/** A file; a refusal still comes as JSON, inside the blob. */
export async function sendForFile(config: AxiosRequestConfig): Promise<Blob> {
  try {
    return (await http.request<Blob>({ ...config, responseType: 'blob' })).data
  } catch (cause) {
    if (!isAxiosError(cause)) throw cause
    const blob: unknown = cause.response?.data
    const body: unknown = blob instanceof Blob ? await blob.text().then(JSON.parse).catch(() => null) : null
    throw new ApiError(cause.message, cause.response?.status, isErrorBody(body) ? body : {})
  }
}
