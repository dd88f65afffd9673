/** Every address of the app, so that no screen spells one out. */
export const paths = {
  landing: '/',
  ugcCourse: '/ugc-course',
  terms: '/terms',
  privacy: '/privacy',
  help: '/help',
  status: '/status',
  solvency: '/solvency',
  certificate: (number: string) => `/certificates/${encodeURIComponent(number)}`,
  check: '/check',
  login: '/login',
  register: '/register',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  verify: (email: string) => `/verify?email=${encodeURIComponent(email)}`,

  /** The back office, which has its addresses in its own part. */
  admin: '/admin',

  dashboard: '/dashboard',
  profile: '/profile',
  activity: '/profile/activity',
  notices: '/notices',
  deposits: '/deposits',
  buyCourse: (price: number) => `/deposits?type=course&amount=${price}`,
  withdrawals: '/withdrawals',
  transactions: '/transactions',
  transaction: (id: string) => `/transactions/${encodeURIComponent(id)}`,
  courses: '/courses',
  lesson: (id: string) => `/courses/lessons/${encodeURIComponent(id)}`,
  investments: '/investments',
  plans: '/investments/plans',
  invest: (planId: string) => `/investments/plans/add?planId=${encodeURIComponent(planId)}`,
  paymentMethods: '/payment-methods',
  addPaymentMethod: '/payment-methods/add',
  editPaymentMethod: (id: string) => `/payment-methods/${encodeURIComponent(id)}/edit`,
  cases: '/cases',
} as const

/** What is passed to the login page: where the visitor wanted to be, and that an unattended back office was closed. */
export type LoginState = { from?: string; leftAlone?: boolean }

/** A path of this site to return to after login, else `undefined`: never another origin [D-S11]. */
export function safeReturnPath(candidate: unknown): string | undefined {
  if (typeof candidate !== 'string' || !/^\/(?![/\\])/.test(candidate)) return undefined
  const url = new URL(candidate, window.location.origin)
  return url.origin === window.location.origin ? `${url.pathname}${url.search}${url.hash}` : undefined
}
