/** What the browser keeps of a member between visits; it is deleted at the end of the session. */

/** The cache with the last responses. */
const NAME = 'last-data'
/** The plans of the member's trades. */
export const HELD_PLANS = 'held-plans'

/** `undefined` in browsers without this storage. */
export const openMemberCache = () => ('caches' in window ? caches.open(NAME).catch(() => undefined) : Promise.resolve(undefined))

/** Without a storage, their values are asked for after the trades. */
export function keepHeldPlans(ids: readonly string[]) {
  try {
    localStorage.setItem(HELD_PLANS, ids.join())
  } catch {
    // Full or forbidden.
  }
}

export function forgetMemberData() {
  keepHeldPlans([])
  if ('caches' in window) void caches.delete(NAME).catch(() => undefined)
}
