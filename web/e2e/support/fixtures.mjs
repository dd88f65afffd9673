// Answers of the API for looking at screens without a server: a member with a lived-in history.
const hour = 3_600_000
const now = Date.now()
const ago = (hours) => new Date(now - hours * hour).toISOString()
const ahead = (hours) => new Date(now + hours * hour).toISOString()

export const user = {
  id: '0193f1c2-7a51-7e0a-9b7a-3d1f2c4b5a60',
  name: 'Amara Lindqvist',
  email: 'amara@example.com',
  phone: '+46 70 123 45 67',
  country: 'Sweden',
  image: null,
  isVerified: true,
  isFrozen: false,
  isWithdrawalPending: true,
  hasPurchasedCourse: true,
  wallet: { balance: 12480.75, bonus: 150, held: 1500, invested: 6200 },
  role: null,
  createdAt: ago(24 * 90),
}

const owner = { name: user.name, email: user.email, phone: user.phone, country: user.country }
const methods = {
  usdt: { id: 'pm-1', currency: 'USDT', network: 'TRC20', address: 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE', memo: null },
  btc: { id: 'pm-3', currency: 'BTC', network: 'Bitcoin', address: 'bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh', memo: null },
}

const row = (id, title, type, status, amount, hours, extra = {}) => ({
  id, reference: `TNX-${id.slice(0, 6)}`, title, kind: title.toLowerCase(), type, status, amount, createdAt: ago(hours),
  description: `${title} of the member`, receipt: null, user: owner, ...extra,
})

export const transactions = [
  row('c1a9e0d4-5d2e-4b8a-8f0e-111111111111', 'Withdrawal', 'debit', 'pending', 1500, 2, {
    description: 'Withdrawal to your USDT address', fee: 37.5, netAmount: 1462.5, feePaid: false,
    method: methods.usdt, destination: { address: 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS', memo: null }, needsDestination: false,
  }),
  row('77b0f3aa-91c4-4a55-9a10-222222222222', 'Deposit', 'credit', 'pending', 2500, 5, {
    description: 'Deposit by USDT on TRC20', method: methods.usdt, receipt: { url: '/v1/files/receipt?sig=1', contentType: 'image/png' },
  }),
  row('5e3d2c1b-0a9f-4e8d-8c7b-333333333333', 'Profit', 'credit', 'success', 184.2, 26, { description: 'Gain of the trade in Harbour Income' }),
  row('91fa2b3c-4d5e-4f60-8a1b-444444444444', 'Trade', 'debit', 'success', 3000, 51, { description: 'Trade opened in Northlight Growth' }),
  row('a0b1c2d3-e4f5-4a6b-8c7d-555555555555', 'Course', 'debit', 'success', 87, 120, { description: 'Lifetime access to the UGC course' }),
  row('b1c2d3e4-f5a6-4b7c-8d9e-666666666666', 'Bonus', 'credit', 'success', 50, 190, { description: 'Bonus released to your balance' }),
  row('c2d3e4f5-a6b7-4c8d-8e9f-777777777777', 'Deposit', 'credit', 'failed', 400, 260, {
    description: 'The payment has not arrived at our address.', reasonCode: 'NOT_RECEIVED', method: methods.btc,
  }),
  row('d3e4f5a6-b7c8-4d9e-8f0a-888888888888', 'Deposit', 'credit', 'success', 15000, 700, { description: 'Deposit by BTC on Bitcoin', method: methods.btc }),
]

export const paymentMethods = [
  { ...methods.usdt, label: null, image: null, scope: 'platform', editable: false },
  { id: 'pm-2', currency: 'USDT', network: 'ERC20', address: '0x52908400098527886E0F7030069857D2E4169EE7', memo: null, label: null, image: null, scope: 'platform', editable: false },
  { ...methods.btc, label: null, image: null, scope: 'platform', editable: false },
  { id: 'pm-9', currency: 'USDT', network: 'TRC20', address: 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS', memo: null, label: 'My hardware wallet', image: null, scope: 'personal', editable: true },
]

/** What is the same of all plans here. */
const disclosed = {
  active: true, manager: 'Northlight Investments', costs: 'Management and custody, taken from the value every day', costPercent: 0.65,
  documentUrl: 'https://documents.example.com/plan.pdf', minHoldingDays: 14, exitFeePercent: 0.5,
}

export const plans = [
  { id: 'plan-1', title: 'Harbour Income', subtitle: 'Short-dated, low swings, paid out of lending.', min: 100, max: 5000, roi: 0.4, duration: 30, riskClass: 1, holdings: 'Treasury bills with one to three months left', ...disclosed },
  { id: 'plan-2', title: 'Northlight Growth', subtitle: 'A broad basket held for a quarter.', min: 500, max: 25000, roi: 2, duration: 90, riskClass: 4, holdings: 'Index funds of developed markets, and up to a tenth in bitcoin held in cold storage', ...disclosed },
  { id: 'plan-3', title: 'Meridian Balanced', subtitle: 'Half income, half growth.', min: 250, max: 10000, roi: 1, duration: 60, riskClass: 3, holdings: 'Half bonds, half index funds', ...disclosed },
  { id: 'plan-4', title: 'Summit Venture', subtitle: 'Wide swings, for money you can leave alone.', min: 1000, max: 50000, roi: 4, duration: 180, riskClass: 7, holdings: 'Shares of young companies', ...disclosed },
]

const trade = (id, plan, amount, currentValue, hours, status = 'open') => ({
  id, amount, currentValue, profit: Math.round((currentValue - amount) * 100) / 100,
  profitPercent: Math.round(((currentValue - amount) / amount) * 1000) / 10, status, createdAt: ago(hours),
  maturesAt: ahead(plan.duration * 24 - hours), closedAt: status === 'open' ? null : ago(hours - 40),
  ...(hours < 14 * 24 ? { exitFee: { percent: 0.5, amount: Math.round(currentValue / 2) / 100, until: ahead(14 * 24 - hours) } } : {}),
  plan: { id: plan.id, title: plan.title, roi: plan.roi, duration: plan.duration },
})

export const trades = [
  trade('trade-1', plans[1], 3000, 3142.5, 51),
  trade('trade-2', plans[0], 1200, 1214.4, 240),
  trade('trade-3', plans[3], 2000, 1871.06, 410),
]

export const pastTrades = [trade('trade-0', plans[0], 4000, 4184.2, 900, 'claimed')]

export const values = Object.fromEntries(
  plans.map((plan, which) => [
    plan.id,
    Array.from({ length: 40 }, (_, day) => ({
      value: Math.round((100 + day * (which === 3 ? -0.15 : 0.22 + which * 0.06) + Math.sin(day / 2.7 + which) * 0.9) * 100) / 100,
      at: ago((39 - day) * 24),
      source: day % 7 === 0 ? 'Weekly statement of the custodian' : 'Closing prices of the day',
    })),
  ]),
)

const planPage = (plan) => {
  const [first] = values[plan.id]
  const last = values[plan.id].at(-1)
  return {
    plan: { ...plan, value: last.value, valueAt: last.at },
    facts: {
      firstValue: first.value, firstValueAt: first.at, over30Days: { worstPercent: -2.34, bestPercent: 9.12 }, over90Days: null,
      endedTrades: 214, endedAtLoss: 39,
    },
    backing: {
      cash: 18250.5, assets: 96400,
      items: [
        { description: 'Index funds at the custodian', amount: 88400, provenAt: ago(50), proof: 'document', source: 'Custody statement of the month' },
        { description: 'Bitcoin in cold storage', amount: 8000, provenAt: ago(6), proof: 'payment', source: 'An address that is observed' },
      ],
    },
  }
}

export const sessions = [
  { id: 's1', current: true, createdAt: ago(3), lastSeenAt: ago(0), device: 'Chromium on Linux', address: '203.0.113.0/24' },
  { id: 's2', current: false, createdAt: ago(60), lastSeenAt: ago(20), device: 'Safari on iPhone', address: '198.51.100.0/24' },
]

export const course = {
  id: 'ugc', title: 'UGC video creation', price: 87, listPrice: 197, purchased: true, pending: false,
  modules: ['UGC 101', 'Affiliate program', 'Portfolios and personal branding', 'Scripts', 'Filming', 'Editing', 'Rates'].map((title, index) => ({
    id: `m${index + 1}`, number: index + 1, title, summary: 'What you will be able to do afterwards.',
    lessons: [1, 2, 3].map((n) => ({ id: `m${index + 1}-l${n}`, title: `Lesson ${n}`, minutes: 6 + n, preview: index === 0 && n === 1, locked: false })),
  })),
}

/** Answers a request of the `/v1` contract, or `undefined` for a route it does not know. */
export function answer(method, path, query = new URLSearchParams()) {
  const planId = path.match(/^\/plans\/([^/]+)\/values$/)?.[1]
  if (planId) return { success: true, values: values[planId] ?? [] }
  const page = plans.find(({ id }) => path === `/plans/${id}`)
  if (page) return { success: true, ...planPage(page) }
  const one = path.match(/^\/transactions\/([0-9a-f-]{36})$/)?.[1]
  if (one) return { success: true, transaction: transactions.find(({ id }) => id === one) }
  const lesson = path.match(/^\/courses\/lessons\/(.+)$/)?.[1]
  if (lesson) return { success: true, lesson: { id: lesson, title: 'What UGC is', moduleTitle: 'UGC 101', markdown: '# What UGC is\n\nVideos that look like a friend made them.' } }
  switch (`${method} ${path}`) {
    case 'GET /auth/check':
      return { success: true, message: 'Session is valid', user, token: 'fixture-token' }
    case 'GET /transactions/user':
      return { success: true, transactions }
    case 'GET /payment-methods':
      return { success: true, paymentMethods }
    case 'GET /plans':
      return { success: true, plans }
    case 'GET /trades':
      return { success: true, trades: query.get('status') === 'all' ? [...trades, ...pastTrades] : trades }
    case 'GET /plans/values':
      return { success: true, plans: (query.get('ids') ?? '').split(',').map((id) => ({ id, values: values[id] ?? [] })) }
    case 'GET /trades/risk-answer':
      return { success: true, version: 1, answeredAt: ago(900) }
    case 'GET /auth/sessions':
      return { success: true, sessions }
    case 'GET /courses':
      return { success: true, course }
    default:
      return undefined
  }
}
