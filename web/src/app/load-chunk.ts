const RELOADED = 'reloaded-at'
const AGAIN_MS = 60_000

/**
 * Loads a part of the app. What does not come, because the network broke or a newer release took its place, comes with
 * the page loaded anew; not twice a minute, so that what never comes ends at the error screen.
 */
export async function loadChunk<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (cause) {
    const reloadedAt = Number(sessionStorage.getItem(RELOADED))
    if (Date.now() - reloadedAt < AGAIN_MS) throw cause
    sessionStorage.setItem(RELOADED, String(Date.now()))
    location.reload()
    return new Promise<never>(() => {})
  }
}
