/** When a member checked their balance last in this browser, and whether it was included. */
export type LastCheck = { at: string; isCounted: boolean }

const keyOf = (userId: string) => `balance-check:${userId}`

/** A browser may forbid storage; then nothing is remembered. */
export function noteCheck(userId: string, check: LastCheck) {
  try {
    localStorage.setItem(keyOf(userId), JSON.stringify(check))
  } catch {
    return
  }
}

export function lastCheck(userId: string): LastCheck | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? 'null')
    if (typeof stored !== 'object' || !stored || !('at' in stored) || !('isCounted' in stored)) return undefined
    const { at, isCounted } = stored
    return typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? { at, isCounted: isCounted === true } : undefined
  } catch {
    return undefined
  }
}
