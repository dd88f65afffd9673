const withQuery = (path: string, query?: URLSearchParams) => [path, query?.toString()].filter(Boolean).join('?')

/** Every address of the back office. */
export const adminPaths = {
  queue: '/admin',
  queueOf: (query: URLSearchParams) => withQuery('/admin', query),
  /** With the query of the queue that it was opened from, if any. */
  review: (id: string, query?: URLSearchParams) => withQuery(`/admin/review/${encodeURIComponent(id)}`, query),
  attach: (id: string, { txid, index }: { txid: string; index: number }) =>
    `/admin/review/${encodeURIComponent(id)}?txid=${encodeURIComponent(txid)}&vout=${index}`,
  unclaimed: '/admin/payments',
  payouts: '/admin/payouts',
  payout: (id: string) => `/admin/payouts/${encodeURIComponent(id)}`,
  members: '/admin/members',
  member: (id: string) => `/admin/members/${encodeURIComponent(id)}`,
  cases: '/admin/cases',
  casesOf: (filter: string) => `/admin/cases?filter=${encodeURIComponent(filter)}`,
  case: (id: string) => `/admin/cases/${encodeURIComponent(id)}`,
  plans: '/admin/plans',
  newPlan: '/admin/plans/new',
  plan: (id: string) => `/admin/plans/${encodeURIComponent(id)}`,
  course: '/admin/course',
  methods: '/admin/payment-methods',
  announcements: '/admin/announcements',
  proposals: '/admin/proposals',
  staff: '/admin/staff',
  audit: '/admin/audit',
  solvency: '/admin/solvency',
  treasury: '/admin/treasury',
  figures: '/admin/figures',
  security: '/admin/security',
} as const
