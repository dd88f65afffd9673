import { describe, expect, it } from 'vitest'
import type { DayBalances, Trade, Wallet } from '@/lib/api-types'
import { worthByDay, worthNow } from './worth'

const trade = {
  id: 't', amount: 100, currentValue: 110, profit: 10, profitPercent: 10, status: 'open', createdAt: '2026-03-02T12:00:00Z', maturesAt: null,
  plan: { id: 'p', title: 'Starter', roi: 5, duration: 30 },
} as Trade
const values = new Map([['p', [{ at: '2026-03-01T00:00:00Z', value: 1 }, { at: '2026-03-03T12:00:00Z', value: 1.05 }]]])
const day = (date: string, changes: Partial<DayBalances> = {}) =>
  ({ success: true, at: `2026-03-${date}T23:59:59.999Z`, balance: 0, held: 0, bonus: 0, invested: 0, onHold: 0, owed: 0, ...changes }) as DayBalances

describe('the total worth [R3]', () => {
  it('adds trades at their value of the day to what is there, set aside or held, less what is owed', () => {
    const days = [
      day('01', { balance: 250, bonus: 25 }),
      day('02', { balance: 100, held: 50, invested: 100 }),
      day('03', { balance: 80, onHold: 20, invested: 100, owed: 5.5 }),
    ]
    expect(worthByDay(days, [trade], values)).toEqual([25_000, 25_000, 19_950])
  })

  it('counts a trade neither after its payout nor twice, and at its fixed value while the payout waits', () => {
    const closed = { ...trade, status: 'claimed', closedAt: '2026-03-03T00:00:00Z' } as Trade
    const waits = { ...trade, status: 'settling', currentValue: 101, waitingSince: '2026-03-03T00:00:00Z' } as Trade
    expect(worthByDay([day('02'), day('03', { balance: 105 })], [closed], values)).toEqual([10_000, 10_500])
    expect(worthByDay([day('02'), day('03')], [waits], values)).toEqual([10_000, 10_100])
    const wallet = { balance: 10, held: 1, bonus: 5, invested: 100 } as Wallet
    expect(worthNow(wallet, [trade, closed])).toBe(12_100)
  })
})
