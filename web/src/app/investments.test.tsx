import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { describe, expect, it, vi } from 'vitest'
import { tradeCentsAt } from '@/features/investments/value-index'
import { queryClient } from '@/lib/query-client'
import { openAsMember } from '@/testing/render'
import { plan, planFacts, trade } from '@/testing/samples'
import { answers, holds, member, records, refuses, server } from '@/testing/server'

// jsdom has no canvas; what the chart says in words is what remains.
vi.mock('@/components/line-chart', () => ({ LineChart: ({ label }: { label: string }) => <p>{label}</p> }))

describe('the trades', () => {
  it('show plan, badge, figures and profit, and gain is claimed [INV-02] [INV-03] [INV-07] [API-14]', async () => {
    const refetched: string[] = []
    const counts = (path: string, body: object) =>
      http.get(`*/v1${path}`, () => (refetched.push(path), HttpResponse.json({ success: true, ...body })))
    const claim = records('put', '/trades/claim/trade-1', { message: 'Profit claimed' })
    server.use(
      claim.handler,
      counts('/trades', { trades: [trade({ amount: 1000, currentValue: 1042.5 })] }),
      counts('/transactions/user', { transactions: [] }),
    )
    const { user } = openAsMember('/investments')
    server.use(counts('/auth/check', { user: member, token: 't' }))
    expect(await screen.findByRole('heading', { name: 'Harbour Income' })).toBeVisible()
    expect(screen.getByText('Live')).toBeVisible()
    expect(screen.getByText('Amount').nextSibling).toHaveTextContent('$1,000.00')
    expect(screen.getByText('Current Value').nextSibling).toHaveTextContent('$1,042.50')
    expect(screen.getByText('Created At').nextSibling).toHaveTextContent('Mar 5, 2026')
    const profit = screen.getByText('Profit/Loss').nextSibling as HTMLElement
    expect(profit).toHaveTextContent('+$42.50(+4.3%)')
    expect(profit).toHaveClass('text-positive')
    expect(profit.querySelector('svg')).toHaveClass('lucide-arrow-up-right')
    expect(screen.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '4.3')
    expect(screen.queryByRole('button', { name: /^Close Trade/ })).not.toBeInTheDocument()
    await user.click(screen.getByRole('button', { name: /^Claim Profit/ }))
    refetched.length = 0
    await user.click(screen.getByRole('button', { name: 'Claim now' }))
    await waitFor(() => expect(claim.seen).toHaveLength(1))
    expect(claim.seen[0]?.headers.get('Idempotency-Key')).toBeTruthy()
    await waitFor(() => expect(refetched).toEqual(expect.arrayContaining(['/auth/check', '/trades'])))
  })

  it('are a list, and each button says what it ends [INV-02]', async () => {
    server.use(answers('get', '/trades', { trades: [trade(), trade({ id: 'trade-2', amount: 500, currentValue: 510 })] }))
    openAsMember('/investments')
    const buttons = await screen.findAllByRole('button', { name: /^Claim Profit/ })
    expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual([
      'Claim Profit: Harbour Income, $1,000.00', 'Claim Profit: Harbour Income, $500.00',
    ])
    for (const button of buttons) expect(button.closest('li')).not.toBeNull()
  })

  it('not above their amount are closed [INV-02] [API-15]', async () => {
    const close = records('delete', '/trades/close/trade-1')
    server.use(close.handler, answers('get', '/trades', { trades: [trade({ amount: 1000, currentValue: 1000 })] }))
    const { user } = openAsMember('/investments')
    await user.click(await screen.findByRole('button', { name: /^Close Trade/ }))
    expect(screen.queryByRole('button', { name: /^Claim Profit/ })).not.toBeInTheDocument()
    await user.click(screen.getByRole('button', { name: 'Close now' }))
    await waitFor(() => expect(close.seen).toHaveLength(1))
  })

  it('with a loss show it in its colour, with an empty bar [INV-02]', async () => {
    server.use(answers('get', '/trades', { trades: [trade({ amount: 1000, currentValue: 900 })] }))
    openAsMember('/investments')
    const profit = (await screen.findByText('Profit/Loss')).nextSibling as HTMLElement
    expect(profit).toHaveTextContent('-$100.00(-10.0%)')
    expect(profit).toHaveClass('text-negative')
    expect(profit.querySelector('svg')).toHaveClass('lucide-arrow-down-right')
    expect(screen.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '0')
  })

  it('have four skeletons while loading, and a way to the plans [INV-01]', async () => {
    const held = holds('get', '/trades')
    server.use(held.handler)
    openAsMember('/investments')
    await screen.findByText('Loading investments')
    expect(screen.getAllByTestId('skeleton')).toHaveLength(4)
    expect(screen.getByRole('link', { name: 'Invest Now' })).toHaveAttribute('href', '/investments/plans')
    await held.asked
  })

  it('say when there are none [INV-01]', async () => {
    openAsMember('/investments')
    expect(await screen.findByText('No Investments Yet')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Browse Investment Plans' })).toHaveAttribute('href', '/investments/plans')
  })
})

describe('the portfolio', () => {
  it('says when the published values cannot be loaded, and asks again [D-L5] [D-I5]', async () => {
    server.use(answers('get', '/trades', { trades: [trade()] }), refuses('get', '/plans/values', 403, { message: 'Not now' }))
    const { user } = openAsMember('/investments')
    const card = within((await screen.findByRole('heading', { name: 'Portfolio value' })).closest('section') as HTMLElement)
    expect(await card.findByRole('alert')).toHaveTextContent('Not now')
    server.use(answers('get', '/plans/values', { plans: [{ id: 'plan-1', values: [{ value: 100, at: '2026-03-01T00:00:00Z' }] }] }))
    await user.click(card.getByRole('button', { name: 'Retry' }))
    expect(await card.findByText('Portfolio value from $1,000.00 to $1,042.50; $1,000.00 invested')).toBeVisible()
    expect(card.queryByRole('alert')).toBeNull()
  })
})

describe('charts without a course', () => {
  const value = (amount: number, at: string) => ({ value: amount, at, source: 'Custodian report' })

  it('say so: a portfolio whose values have not moved since the opening [D-I5]', async () => {
    const opened = trade({ currentValue: 1000, createdAt: new Date().toISOString() })
    server.use(
      answers('get', '/trades', { trades: [opened, { ...opened, id: 'trade-2' }] }),
      answers('get', '/plans/values', { plans: [{ id: 'plan-1', values: [value(1, '2026-03-01T00:00:00Z'), value(1.01, '2026-03-02T00:00:00Z')] }] }),
    )
    openAsMember('/investments')
    expect(await screen.findByText('$2,000.00, as invested')).toBeVisible()
    expect(screen.queryByText(/^Portfolio value from/)).toBeNull()
    // Their plan has one, drawn up to the opening.
    expect(await screen.findAllByText('No new value since you invested')).toHaveLength(2)
    const allocation = within(screen.getByRole('heading', { name: 'Allocation' }).closest('section') as HTMLElement)
    expect(allocation.getByText('Invested').nextSibling).toHaveTextContent('$2,000.00')
    expect(allocation.getByText('Gain or loss').nextSibling).toHaveTextContent('$0.00')
  })

  it('say so: a plan with one value, with its source, and one with none [D-I5]', async () => {
    server.use(answers('get', '/plans', { plans: [plan] }), answers('get', '/plans/:id/values', { values: [value(1.0125, '2026-03-01T12:00:00Z')] }))
    const { unmount } = openAsMember('/investments/plans/add?planId=plan-1')
    expect(await screen.findByText('1.0125')).toBeVisible()
    expect(screen.getByText('Published Mar 1, 2026: Custodian report.')).toBeVisible()
    expect(screen.getByText(/The chart appears after the second/)).toBeVisible()
    unmount()
    queryClient.clear()
    server.use(answers('get', '/plans/:id/values', { values: [] }))
    openAsMember('/investments/plans/add?planId=plan-1')
    expect(await screen.findByText('No value has been published yet.')).toBeVisible()
  })

  it('tell values of one day and of one minute apart [D-I5]', async () => {
    const values = [
      value(1, '2026-03-01T12:00:00Z'), value(1.01, '2026-03-02T12:00:00Z'), value(1.02, '2026-03-02T14:07:02Z'), value(1.03, '2026-03-02T14:07:20Z'),
    ]
    server.use(answers('get', '/plans', { plans: [plan] }), answers('get', '/plans/:id/values', { values }))
    openAsMember('/investments/plans/add?planId=plan-1')
    const table = within(await screen.findByRole('table', { hidden: true }))
    const moments = table.getAllByRole('row', { hidden: true }).slice(1).map((row) => row.firstChild?.textContent)
    expect(moments).toEqual([
      expect.stringMatching(/:07:20 [AP]M$/),
      expect.stringMatching(/:07:02 [AP]M$/),
      expect.stringMatching(/^March 2, 2026 at \d+:00 [AP]M$/),
      'Mar 1, 2026',
    ])
  })
})

describe('the plans', () => {
  it('show their terms and lead to the form [INV-04] [D-I2]', async () => {
    server.use(answers('get', '/plans', { plans: [plan] }))
    openAsMember('/investments/plans')
    const card = within((await screen.findByRole('heading', { name: 'Harbour Income' })).closest('section') as HTMLElement)
    expect(card.getByText('Short-dated')).toBeVisible()
    for (const [label, value] of [['Min. Amount', '$100.00'], ['Max. Amount', '$5,000.00'], ['ROI', '4%'], ['Duration', '30 days']] as const) {
      expect(card.getByText(label).nextSibling).toHaveTextContent(value)
    }
    expect(card.getByText(/target, not guaranteed/)).toBeVisible()
    expect(card.getByRole('link', { name: /^Click to Invest/ })).toHaveAttribute('href', '/investments/plans/add?planId=plan-1')
  })

  it('are compared by risk, target a year and what they cost [D-T3] [D-I2]', async () => {
    const other = { ...plan, id: 'plan-2', title: 'Harbour Growth', riskClass: 5, roi: 7, duration: 365, exitFeePercent: 0.5, minHoldingDays: 30, costPercent: 1.1 }
    server.use(answers('get', '/plans', { plans: [plan, other] }))
    openAsMember('/investments/plans')
    const table = within(await screen.findByRole('region', { name: 'The plans compared' }))
    expect(table.getByRole('row', { name: /^Harbour Income/ })).toHaveTextContent('Harbour IncomeNot stated4%in 30 days48.7%Not statedFree$100to $5,000')
    expect(table.getByRole('row', { name: /^Harbour Growth/ })).toHaveTextContent('Harbour Growth5 of 7medium-high7%in 365 days7.0%1.1%0.5%first 30 days$100to $5,000')
    expect(table.getByRole('link', { name: 'Harbour Growth' })).toHaveAttribute('href', '/investments/plans/plan-2')
  })

  it('have six skeletons while loading [INV-04]', async () => {
    const held = holds('get', '/plans')
    server.use(held.handler)
    openAsMember('/investments/plans')
    await screen.findByText('Loading plans')
    expect(screen.getAllByTestId('skeleton')).toHaveLength(6)
    await held.asked
  })

  it('say when there are none [INV-04]', async () => {
    openAsMember('/investments/plans')
    expect(await screen.findByText('No Plans Available')).toBeVisible()
    expect(screen.getByText('Investment plans are currently being updated')).toBeVisible()
  })
})

describe('the page of a plan', () => {
  const values = [['2026-03-01T12:00:00Z', 1], ['2026-04-05T12:00:00Z', 1.028]] as const
  const disclosed = {
    ...plan, value: 1.028, valueAt: '2026-04-05T12:00:00Z', riskClass: 3, holdings: 'Treasury bills', manager: 'Harbour LLC',
    costs: 'Management', costPercent: 0.45, documentUrl: 'https://docs.example.com/a.pdf',
  }
  const openPlan = (body: object = {}) => {
    server.use(
      answers('get', '/plans/plan-1', { plan: disclosed, facts: planFacts, ...body }),
      answers('get', '/plans/:id/values', { values: values.map(([at, value]) => ({ at, value, source: 'Custodian report' })) }),
    )
    return openAsMember('/investments/plans/plan-1')
  }
  const valueOf = (label: string) => screen.getByText(label).nextSibling

  it('shows what it is, its past, and every value with its source [D-T3] [D-I5]', async () => {
    openPlan()
    expect(await screen.findByRole('heading', { name: 'Harbour Income', level: 1 })).toBeVisible()
    expect(screen.getByText('Risk 3 of 7, medium-low risk')).toBeVisible()
    const facts = [
      ['Holdings', 'Treasury bills'], ['Manager', 'Harbour LLC'], ['Costs', '0.45% a year: Management'],
      ['Target', '4% over 30 days, not guaranteed'], ['Leaving early', 'without a fee'], ['Worst 30 days', '-2.5%'],
      ['Worst and best 90 days', 'younger than 90 days'], ['Ended at a loss', '3 of 12 ended investments (25.0%)'],
    ] as const
    for (const [label, value] of facts) expect(valueOf(label)).toHaveTextContent(value)
    expect(screen.getByText('$500.00 invested on Mar 1, 2026 is $514.00 today.')).toBeVisible()
    expect(screen.getByRole('link', { name: /docs\.example\.com/ })).toHaveAttribute('rel', expect.stringContaining('noopener'))
    const table = within(await screen.findByRole('table'))
    expect(table.getAllByRole('row')).toHaveLength(3)
    expect(screen.getByRole('link', { name: 'Invest in Harbour Income' })).toHaveAttribute('href', '/investments/plans/add?planId=plan-1')
    expect(screen.queryByText('What stands behind this plan')).toBeNull()
  })

  it('draws a range of its values [D-T3]', async () => {
    const { user } = openPlan()
    expect(await screen.findByText('Harbour Income: +2.8% from Mar 1, 2026 to Apr 5, 2026')).toBeVisible()
    await user.click(screen.getByRole('radio', { name: '1M' }))
    // The value in force a month ago is the first one.
    expect(screen.getByText('Harbour Income: +2.8% from Mar 1, 2026 to Apr 5, 2026')).toBeVisible()
  })

  it('shows what stands behind it, and what is missing [D-T3]', async () => {
    const bills = { name: 'Treasury bills', cost: 8000, value: 9000, provenAt: '2026-04-01T12:00:00Z', proof: 'Custody report', issuer: 'First Custody Bank' }
    const backing = { planId: 'p', title: 'Harbour Income', cash: 1500.5, cost: 8000, value: 9000, assetsValue: 9000, assets: [bills], at: null, missing: 0 }
    const { unmount } = openPlan({ backing })
    const card = within((await screen.findByRole('heading', { name: 'What stands behind this plan' })).closest('section') as HTMLElement)
    expect(card.getByText('Cash set aside for gains').nextSibling).toHaveTextContent('$1,500.50')
    expect(card.getByText('Custody report, First Custody Bank, Apr 1, 2026')).toBeVisible()
    unmount()
    openPlan({ backing: { ...backing, missing: 12.5 } })
    expect(await screen.findByText(/^\$12.50 is missing/)).toBeVisible()
  })

  it('says when there is no such plan, and when it is no longer offered [INV-05]', async () => {
    const { unmount } = openAsMember('/investments/plans/other')
    expect(await screen.findByText('Plan not found')).toBeVisible()
    unmount()
    openPlan({ plan: { ...disclosed, active: false } })
    expect(await screen.findByText(/no longer offered/)).toBeVisible()
    expect(screen.queryByRole('link', { name: /^Invest in/ })).toBeNull()
  })
})

describe('a claim that waits', () => {
  it('says so in place of the button, since when, and what happens next [D-T2]', async () => {
    server.use(answers('get', '/trades', { trades: [{ ...trade({ amount: 100, currentValue: 110 }), status: 'settling', waitingSince: '2026-03-05T14:07:00Z' }] }))
    openAsMember('/investments')
    expect(await screen.findByText(/^You claimed \$110.00. The plan's cash has not covered the gain since Mar 5, 2026/)).toBeVisible()
    expect(screen.getByText('Being paid')).toBeVisible()
    expect(screen.queryByRole('button', { name: /^Claim Profit/ })).toBeNull()
  })
})

describe('leaving early', () => {
  it('costs the exit fee, which the card and the question name [D-T1] [INV-02]', async () => {
    const exitFee = { percent: 0.5, amount: 5.21, until: '2026-03-12T14:07:00Z' }
    server.use(answers('get', '/trades', { trades: [trade({ amount: 1000, currentValue: 1042.5, exitFee })] }))
    const { user } = openAsMember('/investments')
    expect(await screen.findByText('Exit fee until Mar 12, 2026')).toBeVisible()
    expect(screen.getByText('Current Value').nextSibling).toHaveTextContent('$1,042.50')
    await user.click(screen.getByRole('button', { name: /^Claim Profit/ }))
    expect(screen.getByText(/Harbour Income, after an exit fee of 0\.5%, \$5\.21, which applies until Mar 12, 2026 and stays in the plan, pays \$1,037\.29/)).toBeVisible()
    expect(screen.getByText('Into your balance').nextSibling).toHaveTextContent('$1,037.29')
  })
})

describe('the value of a trade', () => {
  const day = (n: number) => `2026-03-${String(n).padStart(2, '0')}T00:00:00Z`
  const values = [100, 101.5, 99.999999].map((value, index) => ({ value, at: day(1 + 3 * index), source: 'test' }))
  const opened = trade({ amount: 1000.01, createdAt: day(2), maturesAt: day(8) })

  it('is floor(amount x index / index at opening), frozen at maturity [D-I1]', () => {
    expect(tradeCentsAt(opened, values, Date.parse(day(1)))).toBe(0)
    expect(tradeCentsAt(opened, values, Date.parse(day(3)))).toBe(100001)
    expect(tradeCentsAt(opened, values, Date.parse(day(5)))).toBe(101501)
    expect(tradeCentsAt(opened, values, Date.parse(day(7)))).toBe(100000)
    expect(tradeCentsAt({ ...opened, maturesAt: day(5) }, values, Date.parse(day(9)))).toBe(101501)
  })
})
