/** The service worker, which keeps the app for when there is no network, and newer versions of it. */
import { create } from 'zustand'

const LOOK_EVERY_MS = 30 * 60_000

/** `take` shows the newer version, once there is one. */
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
    // Another tab took it. This one goes on with its files, which are kept, until the member chooses.
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
