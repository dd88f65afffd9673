/** The names of the back office's cached data; every decision refreshes all of it. */
export const adminKeys = {
  all: ['admin'],
  me: ['admin', 'me'],
  queue: ['admin', 'queue'],
  waiting: (signature: string) => ['admin', 'waiting', signature],
  review: (id: string) => ['admin', 'review', id],
  viewers: (id: string) => ['admin-viewers', id],
  transactions: (filter: object) => ['admin', 'transactions', filter],
  members: (search: string) => ['admin', 'members', search],
  member: (id: string) => ['admin', 'member', id],
  proposals: (status: string) => ['admin', 'proposals', status],
  plans: ['admin', 'plans'],
  methods: ['admin', 'payment-methods'],
  staff: ['admin', 'staff'],
  audit: (filter: object) => ['admin', 'audit', filter],
  integrity: ['admin', 'integrity'],
  deadLetters: ['admin', 'dead-letters'],
} as const
