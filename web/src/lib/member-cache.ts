/** Where the browser keeps what a member saw last; it goes with the session. */
const NAME = 'last-data'

/** Nothing where the browser has no such storage. */
export const openMemberCache = () => ('caches' in window ? caches.open(NAME).catch(() => undefined) : Promise.resolve(undefined))

export function forgetMemberData() {
  if ('caches' in window) void caches.delete(NAME).catch(() => undefined)
}
