/** Entities for the component tests. */
import type { PaymentMethod, Plan, PlanFacts, Quote, QuoteTerms, Step, Trade, Transaction } from '@/lib/api-types'
import { member } from './server'

const owner = { name: member.name, email: member.email, phone: member.phone, country: member.country }

let made = 0

export function transaction(changes: Partial<Transaction> = {}): Transaction {
  made++
  const id = `${String(made).padStart(6, 'a')}00-5d2e-4b8a-8f0e-1234567890ab`
  return {
    id,
    reference: `TNX-${id.slice(0, 6)}`,
    revision: 1,
    title: 'Deposit',
    description: 'Deposit by USDT',
    status: 'success',
    type: 'credit',
    kind: 'deposit',
    amount: 250,
    createdAt: '2026-03-05T14:07:00Z',
    receipt: null,
    steps: [],
    user: owner,
    ...changes,
  }
}

/** A step of a transaction; the one that is current, where nothing else is said. */
export const step = (key: string, changes: Partial<Step> = {}): Step => ({ key, state: 'current', ...changes })

export const usdt: PaymentMethod = {
  id: 'pm-usdt', currency: 'USDT', network: 'TRC20', address: 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE',
  memo: null, label: null, image: null, scope: 'platform', editable: false, version: 1,
}
export const btc: PaymentMethod = { ...usdt, id: 'pm-btc', currency: 'BTC', network: 'Bitcoin', address: 'bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh' }
export const own: PaymentMethod = {
  ...usdt, id: 'pm-own', address: 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS', label: 'My wallet', scope: 'personal', editable: true,
}

/** Bitcoin can be quoted. */
export const quoteTerms: QuoteTerms = {
  success: true, spreadBps: 50, lifeSeconds: 900, openMax: 20,
  assets: [{ asset: 'BTC', chain: 'bitcoin', contract: '', decimals: 8, methodIds: [btc.id], available: true, bid: '97312.45', ask: '97315', sources: ['kraken'], at: '2026-03-05T14:07:00Z' }],
}

/** A quote in Bitcoin that lasts for this many seconds. */
export const quoteOf = ({ life = 900, ...changes }: Partial<Quote> & { life?: number }): Quote => ({
  id: 'quote-1', direction: 'deposit', amount: 500, pricedAmount: 500, method: btc.id, methodVersion: 1, asset: 'BTC',
  network: btc.network, chain: 'bitcoin', contract: '', address: btc.address, memo: '', units: '513809', decimals: 8, rate: '97312.45', spreadBps: 50,
  sources: ['kraken', 'coinbase'].map((name) => ({ name, bid: '97312.45', ask: '97315', at: '2026-03-05T14:07:00Z' })),
  at: '2026-03-05T14:07:00.000Z', expiresAt: new Date(Date.parse('2026-03-05T14:07:00Z') + life * 1000).toISOString(), ...changes,
})

export const plan: Plan = {
  id: 'plan-1', title: 'Harbour Income', subtitle: 'Short-dated', min: 100, max: 5000, roi: 4, duration: 30, active: true,
  costPercent: 0, minHoldingDays: 0, exitFeePercent: 0,
}

export const planFacts: PlanFacts = {
  firstValue: 1, firstValueAt: '2026-03-01T12:00:00Z', over30Days: { worstPercent: -2.5, bestPercent: 3.75 }, over90Days: null,
  endedTrades: 12, endedAtLoss: 3,
}

export const trade = (changes: Partial<Trade> = {}): Trade => ({
  id: 'trade-1', amount: 1000, currentValue: 1042.5, profit: 42.5, profitPercent: 4.25, status: 'open', createdAt: '2026-03-05T14:07:00Z',
  maturesAt: '2026-04-04T14:07:00Z', plan: { id: 'plan-1', title: 'Harbour Income', roi: 4, duration: 30 }, ...changes,
})

/** The first bytes of a PNG are enough: jsdom decodes no pictures. */
export const png = (name: string, options?: FilePropertyBag) =>
  new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])], name, { type: 'image/png', ...options })

export const proof = () => png('payment.png', { lastModified: Date.parse('2026-03-05T14:07:00') })
