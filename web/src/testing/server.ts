/** The fake API of the component tests: a verified member with nothing in the wallet, unless a test says otherwise. */
import { delay, http, HttpResponse, type JsonBodyType } from 'msw'
import { setupServer } from 'msw/node'
import type { User } from '@/lib/api-types'

export const member: User = {
  id: '0193f1c2-7a51-4e0a-9b7a-3d1f2c4b5a60',
  name: 'Amara Lindqvist',
  email: 'amara@example.com',
  phone: '+46 70 123 45 67',
  country: 'Sweden',
  image: null,
  isVerified: true,
  isFrozen: false,
  isWithdrawalPending: false,
  hasPurchasedCourse: false,
  wallet: { balance: 1000, bonus: 25.5, held: 0, invested: 0 },
}

/** What holds, unless a test says otherwise. */
export const terms = {
  deposit: { min: 100, max: 100_000, pendingMax: 5 },
  withdrawal: {
    min: 50, max: 50_000, feePercent: 2.5, twoPeopleFrom: 1000, left: 100_000,
    limits: [{ hours: 24, amount: 100_000 }, { hours: 720, amount: 500_000 }],
  },
  course: { price: 87 },
}

const base = `${window.location.origin}/v1`

/** A handler that answers with `success: true` and these fields. */
export const answers = (method: 'get' | 'post' | 'put' | 'delete', path: string, body: object, status = 200) =>
  http[method](base + path, () => HttpResponse.json({ success: true, message: 'Done', ...body } as JsonBodyType, { status }))

/** A back office with nothing in it. */
export const emptyBackOffice = () => [
  answers('get', '/admin/queue', { queue: [], times: { deposit: null, fee: null, withdrawal: null, payout: null } }),
  answers('get', '/admin/queue/transactions', { transactions: [] }),
  answers('get', '/admin/queue/verdicts', { verdicts: [], complete: true }),
  answers('get', '/admin/payments/unclaimed', { payments: [] }),
  answers('get', '/admin/proposals', { proposals: [] }),
  answers('get', '/admin/staff', { staff: [] }),
  answers('get', '/admin/transactions', { transactions: [] }),
  answers('get', '/admin/cases', { cases: [] }),
  answers('get', '/admin/dead-letters', { deadLetters: [] }),
  answers('get', '/admin/integrity', {
    faults: [], trialBalance: 0, drift: 0, liabilities: { available: 0, held: 0, invested: 0, bonus: 0, total: 0 },
    holdings: 0, pool: 0, solvency: { owed: 0, gains: 0, held: 0, assets: 0, stated: 0, observed: false, missing: 0 },
    outboxOldestSeconds: 0, deadLetters: 0, ok: true, withdrawals: { stopped: false },
  }),
  answers('get', '/admin/holdings', { holdings: [], outflows: [], undone: [] }),
]

/** A handler that refuses. */
export const refuses = (
  method: 'get' | 'post' | 'put' | 'delete',
  path: string,
  status: number,
  body: { message: string; code?: string; errors?: Record<string, string>; matters?: string[] },
) => http[method](base + path, () => HttpResponse.json({ success: false, requestId: 'test', ...body }, { status }))

/** A handler that never answers. A test waits for `asked` before it ends, so that no later test gets its request. */
export function holds(method: 'get' | 'post' | 'put' | 'delete', path: string) {
  let reached: () => void
  const asked = new Promise<void>((resolve) => {
    reached = resolve
  })
  const handler = http[method](base + path, () => {
    reached()
    return delay('infinite')
  })
  return { asked, handler }
}

export type SeenRequest = { path: string; headers: Headers; body: unknown }

/** A handler that answers and keeps what it was sent. */
export function records(method: 'get' | 'post' | 'put' | 'delete', path: string, body: object = {}, status = 200) {
  const seen: SeenRequest[] = []
  const handler = http[method](base + path, async ({ request }) => {
    const text = await request.clone().text()
    const isJson = request.headers.get('Content-Type')?.includes('json')
    seen.push({ path: new URL(request.url).pathname, headers: request.headers, body: isJson ? JSON.parse(text) : text })
    return HttpResponse.json({ success: true, message: 'Done', ...body } as JsonBodyType, { status })
  })
  return { seen, handler }
}

const everyGroup = { money: true, plans: true, courses: true, cases: true }

export const server = setupServer(
  answers('get', '/auth/check', { user: member, token: 'fresh-token' }),
  answers('post', '/auth/logout', {}),
  answers('get', '/terms', terms),
  answers('get', '/status', { withdrawals: { open: true }, chains: [], announcements: [] }),
  answers('get', '/quotes/terms', { spreadBps: 0, lifeSeconds: 900, openMax: 20, assets: [] }),
  answers('get', '/transactions/user', { transactions: [] }),
  answers('get', '/transactions/:id/payments', { steps: [] }),
  answers('get', '/transactions/times', { times: { deposit: null, withdrawal: null } }),
  answers('get', '/trades', { trades: [] }),
  answers('get', '/wallet/days', { days: [] }),
  answers('get', '/trades/risk-answer', { version: 1, answeredAt: '2026-03-01T12:00:00Z' }),
  answers('get', '/courses', { course: { title: 'The UGC Video Course', subtitle: '', purchased: false, pending: false, modules: [] } }),
  answers('put', '/courses/lessons/:id/progress', { progress: { position: 0, done: false, at: '2026-11-23T12:00:00.000Z' } }),
  answers('get', '/courses/lessons/:id/notes', { notes: [] }),
  answers('get', '/admin/course/media', { media: [] }),
  answers('put', '/admin/course/draft', { revision: 5, changedAt: '2026-11-23T12:00:00.000Z' }),
  answers('get', '/plans', { plans: [] }),
  answers('get', '/plans/values', { plans: [] }),
  refuses('get', '/plans/:id', 404, { message: 'Plan not found' }),
  answers('get', '/plans/:id/values', { values: [] }),
  answers('get', '/payment-methods', { paymentMethods: [] }),
  answers('get', '/cases', { cases: [] }),
  answers('get', '/auth/sessions', { sessions: [] }),
  answers('get', '/users/activity', { events: [] }),
  answers('get', '/notices', { notices: [], announcements: [], unread: 0 }),
  answers('get', '/notices/preferences', { mail: everyGroup, push: everyGroup }),
  answers('get', '/notices/push', { publicKey: null, isOn: false }),
  answers('get', '/admin/members/:id/activity', { events: [] }),
  answers('get', '/users/totp', { totp: { required: false, enrolled: false, passkeys: 0, recoveryCodesLeft: 0 }, stepUpUntil: null }),
  answers('get', '/users/passkeys', { passkeys: [] }),
  http.get(`${base}/events`, () => HttpResponse.json({ success: false, message: 'Not found' }, { status: 404 })),
)
