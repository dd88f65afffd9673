import { keepHeldPlans } from './held-plans'

/** The cache with the member's last responses; it is deleted at the end of the session. */
const NAME = 'last-data'

/** `undefined` in browsers without this storage. */
export const openMemberCache = () => ('caches' in window ? caches.open(NAME).catch(() => undefined) : Promise.resolve(undefined))

export function forgetMemberData() {
  keepHeldPlans([])
  if ('caches' in window) void caches.delete(NAME).catch(() => undefined)
}
