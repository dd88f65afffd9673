/** Which announcements were put away in this browser. */

const KEY = 'announcements-dismissed'
/** Older ones are over. */
const MOST = 20

export function readDismissed(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}

/** Those that are kept. */
export function writeDismissed(ids: readonly string[]): readonly string[] {
  const kept = ids.slice(-MOST)
  try {
    localStorage.setItem(KEY, JSON.stringify(kept))
  } catch {
    // Then it comes back with the next visit.
  }
  return kept
}
