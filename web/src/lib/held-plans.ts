/** The plans of the member's trades, kept in the browser: the next visit asks for their values before it knows the trades. */
const KEY = 'held-plans'

export function heldPlans(): string[] {
  try {
    return (localStorage.getItem(KEY) ?? '').split(',').filter(Boolean)
  } catch {
    return []
  }
}

/** Without a storage, the values are asked for after the trades. */
export function keepHeldPlans(ids: readonly string[]) {
  try {
    localStorage.setItem(KEY, ids.join())
  } catch {
    // Full or forbidden.
  }
}
