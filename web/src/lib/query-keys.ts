/** The names of cached data, shared so that one feature's change can refresh another's screen. */
export const queryKeys = {
  session: ['session'],
  terms: ['terms'],
  quoteTerms: ['quote-terms'],
  quotes: ['quotes'],
  quote: (direction: string, cents: number, method: string) => ['quotes', direction, cents, method],
  transactions: ['transactions'],
  transaction: (id: string) => ['transactions', 'one', id],
  transactionSearch: ({ q, from, to }: { q: string; from: string; to: string }) => ['transactions', 'search', q, from, to],
  transactionTimes: ['transactions', 'times'],
  trades: ['trades'],
  plans: ['plans'],
  paymentMethods: ['payment-methods'],
  deviceSessions: ['device-sessions'],
  activity: ['activity'],
  notices: ['notices'],
  totp: ['totp'],
  passkeys: ['passkeys'],
  course: ['course'],
  lesson: (id: string) => ['course', 'lesson', id],
  cases: ['cases'],
  solvency: ['solvency'],
} as const

/** Everything that a change of the member's money can touch. */
export const moneyKeys = [queryKeys.session, queryKeys.terms, queryKeys.transactions, queryKeys.trades, queryKeys.course]
