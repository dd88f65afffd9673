/** The service worker, which stores the app for use without a network, and downloads newer versions. */
import { create } from 'zustand'

const LOOK_EVERY_MS = 30 * 60_000

/** `take` switches to the newer version, once it is downloaded. */
export const useNewVersion = create<{ take: (() => void) | undefined }>(() => ({ take: undefined }))

let started: Promise<void> | undefined

/** Installs the worker once a page. Without it, the app needs a network. */
export function startWorker() {
  const { serviceWorker } = navigator as Partial<Navigator>
  if (serviceWorker && import.meta.env.PROD) started ??= start(serviceWorker).catch(() => undefined)
}

/** Exported for the tests. */
export async function start(workers: ServiceWorkerContainer) {
  const isFirst = !workers.controller
  let isTaken = false
  workers.addEventListener('controllerchange', () => {
    if (isTaken) location.reload()
    // Another tab switched. This one keeps using its own files, which stay stored, until the member switches.
    else if (!isFirst) useNewVersion.setState({ take: () => location.reload() })
  })
  const registration = await workers.register('/sw.js')
  const look = () => {
    const { waiting } = registration
    if (!waiting || !workers.controller) return
    const take = () => {
      isTaken = true
      waiting.postMessage('activate')
    }
    useNewVersion.setState({ take })
  }
  look()
  registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', look))
  setInterval(() => void registration.update().catch(() => undefined), LOOK_EVERY_MS)
}
