/**
 * Uploads of files to the course, in the resumable protocol tus 1.0. They go on while other pages of the app are open; after a
 * reload, the same file is chosen again and goes on where it stopped.
 */
import type { DetailedError, HttpRequest, HttpResponse, Upload as TusUpload } from 'tus-js-client'
import { create } from 'zustand'
import { isErrorBody } from '@/lib/api-error'
import { credentials, takeNonce } from '@/lib/device-key'
import { apiUrl } from '@/lib/env'
import { loadChunk } from '@/lib/load-chunk'
import { useSession } from '@/lib/session'
import { mediaAddress } from './api/media'
import type { MediaKind } from './api/types'

/** `waiting`: for the network, or for a server that is busy. */
export type UploadState = 'sending' | 'waiting' | 'paused' | 'failed'

export type Upload = { sent: number; size: number; bytesPerSecond: number; state: UploadState; message?: string }

/** By the id of the file; a finished upload is gone, and the server says what becomes of it. */
export const useUploads = create<Record<string, Upload>>()(() => ({}))

export const useUpload = (id: string): Upload | undefined => useUploads((uploads) => uploads[id])

const running = new Map<string, TusUpload>()

const CHUNK_BYTES = 16 * 1024 * 1024

/** Until the delays are used up, about ten minutes; each byte that arrives begins them again. */
const RETRY_DELAYS_MS = [0, 1_000, 3_000, 5_000, ...Array<number>(60).fill(10_000)]

const endpoint = () => new URL(apiUrl + mediaAddress, window.location.href).href

const idOf = (url: string) => decodeURIComponent(new URL(url, window.location.href).pathname.split('/').pop() ?? '')

function set(id: string, change: Partial<Upload>) {
  useUploads.setState((uploads) => {
    const before = uploads[id]
    return before ? { [id]: { ...before, ...change } } : {}
  })
}

function forget(id: string) {
  running.delete(id)
  useUploads.setState((uploads) => Object.fromEntries(Object.entries(uploads).filter(([other]) => other !== id)), true)
}

/** Each request is signed by itself: a proof names its method and address. */
async function sign(request: HttpRequest) {
  const { token } = useSession.getState()
  if (!token) return
  const headers = await credentials(token, request.getMethod(), request.getURL())
  for (const [name, value] of Object.entries(headers)) request.setHeader(name, value)
}

function bodyOf(response: HttpResponse | null) {
  try {
    const body: unknown = JSON.parse(response?.getBody() ?? '')
    return isErrorBody(body) ? body : {}
  } catch {
    return {}
  }
}

/** The library would begin another upload no matter what the answer to "where did it stop?" is; only a file that is gone needs one. */
function staysAnUpload(request: HttpRequest, response: HttpResponse) {
  const status = response.getStatus()
  if (request.getMethod() === 'HEAD' && status >= 300 && status !== 404) throw new StillThere(status)
}

class StillThere extends Error {
  readonly status: number

  constructor(status: number) {
    super(`status ${status}`)
    this.status = status
  }
}

const statusOf = ({ originalResponse, causingError }: DetailedError) =>
  originalResponse?.getStatus() ?? (causingError instanceof StillThere ? causingError.status : 0)

/** A refusal does not change by asking again, except for a proof that lacked the server's nonce, and another offset. */
function isWorthAnotherTry(error: DetailedError) {
  const status = statusOf(error)
  if (status === 401) return takeNonce(bodyOf(error.originalResponse).nonce)
  return status === 0 || status === 409 || status === 423 || status === 429 || status >= 500
}

const isDetailed = (error: Error | DetailedError): error is DetailedError => 'originalResponse' in error

const messageOf = (error: Error | DetailedError) =>
  (isDetailed(error) && bodyOf(error.originalResponse).message) || 'The upload was interrupted. Check your connection.'

/**
 * Begins an upload, or goes on with an earlier one of the same file; resolves with the id of the file as soon as the server
 * has it. `onEnd` is called once all bytes are there.
 */
export async function upload(file: File, kind: MediaKind, onEnd: () => void): Promise<string> {
  const { Upload: Tus } = await loadChunk(() => import('tus-js-client'))
  return new Promise((resolve, reject) => {
    let id: string | undefined
    let speed: ReturnType<typeof speedometer> | undefined
    const begin = () => {
      id = idOf(task.url ?? '')
      const other = running.get(id)
      // Sent again each time that it asks where it stopped.
      if (other === task) return
      void other?.abort().catch(() => undefined)
      running.set(id, task)
      useUploads.setState({ [id]: { sent: 0, size: file.size, bytesPerSecond: 0, state: 'sending' } })
      resolve(id)
    }
    const task = new Tus(file, {
      endpoint: endpoint(),
      chunkSize: CHUNK_BYTES,
      retryDelays: RETRY_DELAYS_MS,
      removeFingerprintOnSuccess: true,
      metadata: { filename: sentName(file.name), filetype: file.type || 'application/octet-stream', kind },
      onBeforeRequest: sign,
      onAfterResponse: staysAnUpload,
      onUploadUrlAvailable: begin,
      onShouldRetry: (error) => {
        const again = isWorthAnotherTry(error)
        if (again && id) set(id, { state: 'waiting' })
        return again
      },
      onProgress: (sent) => {
        speed ??= speedometer(sent)
        // A request that was being signed when the upload was paused is still sent.
        if (id && useUploads.getState()[id]?.state !== 'paused') set(id, { sent, bytesPerSecond: speed(sent), state: 'sending', message: undefined })
      },
      onSuccess: () => {
        if (id) forget(id)
        onEnd()
      },
      onError: (error) => {
        const message = messageOf(error)
        if (id) set(id, { state: 'failed', message })
        else reject(new Error(message))
      },
    })
    void task.findPreviousUploads().then((previous) => {
      const same = previous.find(({ metadata }) => metadata['kind'] === kind)
      if (same) task.resumeFromPreviousUpload(same)
      task.start()
    }, reject)
  })
}

/** Bytes in a second, over the last few of them. */
function speedometer(first: number) {
  const SPAN_MS = 5_000
  let points = [{ at: performance.now(), bytes: first }]
  return (bytes: number) => {
    const at = performance.now()
    points = [...points.filter((point) => at - point.at < SPAN_MS), { at, bytes }]
    const [oldest] = points
    return oldest && at > oldest.at ? ((bytes - oldest.bytes) / (at - oldest.at)) * 1_000 : 0
  }
}

export function pause(id: string) {
  set(id, { state: 'paused', bytesPerSecond: 0 })
  void running.get(id)?.abort().catch(() => undefined)
}

export function resume(id: string) {
  set(id, { state: 'sending', message: undefined })
  running.get(id)?.start()
}

/** Stops sending; the file itself is removed by its own request. */
export function cancel(id: string) {
  void running.get(id)?.abort().catch(() => undefined)
  forget(id)
}

// As soon as the network is back, not only at the next try.
window.addEventListener('online', () => {
  for (const [id, task] of running) {
    if (useUploads.getState()[id]?.state !== 'waiting') continue
    void task.abort().then(() => task.start(), () => undefined)
  }
})

window.addEventListener('beforeunload', (event) => {
  if (Object.values(useUploads.getState()).some(({ state }) => state === 'sending' || state === 'waiting')) event.preventDefault()
})

const LONGEST_NAME = 200

/** The name of a file without what the server refuses in one, and not longer than it takes: the ending stays. */
export function sentName(name: string) {
  const plain = name.replace(/[/\\]/g, '-').replace(/"/g, "'").replace(/\p{Cc}/gu, '')
  const letters = [...plain]
  if (letters.length <= LONGEST_NAME) return plain
  const ending = /\.[^.]{1,10}$/.exec(plain)?.[0] ?? ''
  return letters.slice(0, LONGEST_NAME - ending.length).join('') + ending
}
