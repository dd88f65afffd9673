/** What a page asks for first, named once for the page and for `prerender/early.ts`, which asks before its code is there. */
export const firstPages = {
  /** Few rows, so that they stand soon. */
  transactions: '/transactions/user?size=50',
  /** The whole queue: the longest waiting stand first, and they are the last ones of the list. */
  waiting: '/admin/transactions?status=pending&size=1000',
} as const
