/** The way from a playlist into a video element. */
import type Hls from 'hls.js/light'
import type { ErrorData } from 'hls.js/light'
import { loadChunk } from '@/lib/load-chunk'

const HLS_TYPE = 'application/vnd.apple.mpegurl'

/** `status` is that of the response, if the server sent one. */
export type SourceError = { kind: 'network' | 'media'; status?: number }

export type Source = { detach: () => void }

/** Apple's browsers play HLS themselves, with AirPlay; others may say so, too, but the library is what is tested there. */
const playsItself = (video: HTMLVideoElement) =>
  video.canPlayType(HLS_TYPE) !== '' && (!('MediaSource' in window) || 'ManagedMediaSource' in window)

const library = () => loadChunk(() => import('hls.js/light'))

/** Fetches what is needed to play, so that the first press finds it here. */
export function prepare(video: HTMLVideoElement) {
  if (!playsItself(video)) void library().catch(() => undefined)
}

/** Loads a playlist, from this position; only now the stream begins to count. */
export async function attach(video: HTMLVideoElement, url: string, position: number, onError: (error: SourceError) => void): Promise<Source> {
  return playsItself(video) ? attachNatively(video, url, position, onError) : attachWithLibrary((await library()).default, video, url, position, onError)
}

function attachNatively(video: HTMLVideoElement, url: string, position: number, onError: (error: SourceError) => void): Source {
  const begin = () => {
    video.currentTime = position
  }
  const fail = () => void statusOf(url).then((status) => onError({ kind: video.error?.code === MediaError.MEDIA_ERR_DECODE ? 'media' : 'network', status }))
  video.addEventListener('loadedmetadata', begin, { once: true })
  video.addEventListener('error', fail)
  video.src = url
  return {
    detach: () => {
      video.removeEventListener('loadedmetadata', begin)
      video.removeEventListener('error', fail)
      video.removeAttribute('src')
      video.load()
    },
  }
}

/** The element does not tell why it failed. */
const statusOf = async (url: string) => (await fetch(url).catch(() => undefined))?.status

function attachWithLibrary(Library: typeof Hls, video: HTMLVideoElement, url: string, position: number, onError: (error: SourceError) => void): Source {
  if (!Library.isSupported()) {
    onError({ kind: 'media' })
    return { detach: () => undefined }
  }
  const hls = new Library({
    // A worker would need blob: scripts in the content policy.
    enableWorker: false,
    startPosition: position,
    capLevelToPlayerSize: true,
    backBufferLength: 60,
  })
  let isRecovered = false
  hls.on(Library.Events.ERROR, (_, { fatal, type, response }: ErrorData) => {
    if (!fatal) return
    if (type === Library.ErrorTypes.MEDIA_ERROR && !isRecovered) {
      isRecovered = true
      hls.recoverMediaError()
    } else {
      onError({ kind: type === Library.ErrorTypes.NETWORK_ERROR ? 'network' : 'media', status: response?.code || undefined })
    }
  })
  hls.loadSource(url)
  hls.attachMedia(video)
  return { detach: () => hls.destroy() }
}
