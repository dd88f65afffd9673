/** What a page asks for first, named once for the page and for `prerender/early.ts`, which asks before its code is there. */
export const firstPages = {
  /** Few rows, so that they stand soon. */
  transactions: '/transactions/user?size=50',
  waiting: '/admin/queue/transactions',
  /** All published values of some plans. */
  planValues: (ids: readonly string[]) => `/plans/values?ids=${[...ids].sort().join(',')}`,
} as const
