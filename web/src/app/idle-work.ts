/** Loads the code of the pages that a member opens next, once the browser has nothing else to do. */
const AFTER_MS = 3_000

const likely = [() => import('./pages/deposits-page'), () => import('./pages/plans-page')]

type Connection = { saveData?: boolean }

export function loadLikelyPages() {
  const { connection } = navigator as { connection?: Connection }
  if (connection?.saveData) return
  const timer = setTimeout(() => {
    // Without them the page loads its code when it is opened.
    for (const load of likely) void load().catch(() => undefined)
  }, AFTER_MS)
  return () => clearTimeout(timer)
}
