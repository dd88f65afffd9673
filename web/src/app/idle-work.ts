/** What is loaded once the browser has nothing else to do: what a member opens next, and the app for no network. */
import { startWorker } from '@/lib/new-version'
import { loadFigures } from './pages/dashboard-page'
import { loadAccountMenu } from './profile-menu'

const AFTER_MS = 3_000

const likely = [loadAccountMenu, loadFigures, () => import('./pages/deposits-page'), () => import('./pages/plans-page')]

type Connection = { saveData?: boolean }

export function loadWhenIdle() {
  const { connection } = navigator as { connection?: Connection }
  if (connection?.saveData) return
  const timer = setTimeout(() => {
    // Without them the page loads its code when it is opened.
    for (const load of likely) void load().catch(() => undefined)
    startWorker()
  }, AFTER_MS)
  return () => clearTimeout(timer)
}
