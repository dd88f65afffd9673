/** Every address of the back office. */
export const adminPaths = {
  queue: '/admin',
  queueOf: (kind: string) => `/admin?kind=${encodeURIComponent(kind)}`,
  review: (id: string, kind?: string) => `/admin/review/${encodeURIComponent(id)}${kind ? `?kind=${encodeURIComponent(kind)}` : ''}`,
  attach: (id: string, { txid, index }: { txid: string; index: number }) =>
    `/admin/review/${encodeURIComponent(id)}?txid=${encodeURIComponent(txid)}&vout=${index}`,
  unclaimed: '/admin/payments',
  payouts: '/admin/payouts',
  payout: (id: string) => `/admin/payouts/${encodeURIComponent(id)}`,
  members: '/admin/members',
  member: (id: string) => `/admin/members/${encodeURIComponent(id)}`,
  plans: '/admin/plans',
  newPlan: '/admin/plans/new',
  plan: (id: string) => `/admin/plans/${encodeURIComponent(id)}`,
  course: '/admin/course',
  methods: '/admin/payment-methods',
  proposals: '/admin/proposals',
  staff: '/admin/staff',
  audit: '/admin/audit',
  integrity: '/admin/integrity',
  holdings: '/admin/holdings',
  security: '/admin/security',
} as const
