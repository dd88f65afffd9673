import { useNewVersion } from './new-version'

const RELOADED = 'reloaded-at'
const AGAIN_MS = 60_000
const ASK_EVERY_MS = 5_000
const LONGEST_WAIT_MS = 4_000

/** A part of the app that did not come. */
export class ChunkError extends Error {
  override readonly name = 'ChunkError'
}

/**
 * Loads a part of the app. What does not come, because the network broke or a newer release took its place, comes with
 * the page reloaded; not twice a minute, so that what never comes ends at the error panel.
 */
export async function loadChunk<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (cause) {
    if (mayReload() && (await reloadPage())) return new Promise<never>(() => {})
    throw new ChunkError('a part of the app could not be loaded', { cause })
  }
}

const mayReload = () => Date.now() - Number(sessionStorage.getItem(RELOADED)) > AGAIN_MS

/**
 * Reloads the page as soon as the server answers, and returns what ends the waiting. The browser reports that the network is
 * back only once, perhaps before anything listens, and perhaps before the server can be reached.
 */
export function reloadWhenReachable(): () => void {
  const ask = () => void (mayReload() && reloadPage())
  const askAtOnce = () => void reloadPage()
  ask()
  const timer = setInterval(ask, ASK_EVERY_MS)
  window.addEventListener('online', askAtOnce)
  return () => {
    clearInterval(timer)
    window.removeEventListener('online', askAtOnce)
  }
}

/** Reloads the page if the server answers; without it the browser would put its own error page in the app's place. */
export async function reloadPage(): Promise<boolean> {
  const signal = AbortSignal.timeout(LONGEST_WAIT_MS)
  const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store', signal }).catch(() => null)
  if (!answer || answer.status >= 500) return false
  sessionStorage.setItem(RELOADED, String(Date.now()))
  // The worker would answer with the version whose file is missing.
  const { take = () => location.reload() } = useNewVersion.getState()
  take()
  return true
}
