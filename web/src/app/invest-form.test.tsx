import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { changedBy } from '@/features/investments/outlook'
import { currentPath, openAsMember } from '@/testing/render'
import { plan, planFacts } from '@/testing/samples'
import { answers, holds, records, refuses, server } from '@/testing/server'

// jsdom has no canvas; what the chart says in words is what remains.
vi.mock('@/components/line-chart', () => ({ LineChart: ({ label }: { label: string }) => <p>{label}</p> }))

describe('the invest form', () => {
  const openForm = () => {
    server.use(answers('get', '/plans', { plans: [plan] }))
    return openAsMember('/investments/plans/add?planId=plan-1', { wallet: { balance: 1000, bonus: 0, held: 0, invested: 0 } })
  }

  it('shows the terms, sends planId and amount, and goes to the investments [INV-05] [API-13]', async () => {
    const create = records('post', '/trades/create', {}, 201)
    server.use(create.handler)
    const { user } = openForm()
    for (const [label, value] of [['Minimum', '$100.00'], ['Maximum', '$5,000.00'], ['ROI', '4%'], ['Duration', '30 days']] as const) {
      expect((await screen.findByText(label)).nextSibling).toHaveTextContent(value)
    }
    await user.type(screen.getByLabelText('Amount'), '100')
    await user.click(screen.getByRole('button', { name: 'Check and invest' }))
    expect(create.seen).toHaveLength(0)
    await user.click(screen.getByRole('button', { name: 'Invest' }))
    await waitFor(() => expect(currentPath()).toBe('/investments'))
    expect(create.seen[0]?.body).toEqual({ planId: 'plan-1', amount: 100 })
    expect(create.seen[0]?.headers.get('Idempotency-Key')).toBeTruthy()
  })

  it.each([
    ['99.99', 'Amount must be between $100.00 and $5,000.00'],
    ['5000.01', 'Amount must be between $100.00 and $5,000.00'],
    ['', 'Amount must be between $100.00 and $5,000.00'],
    ['1000.01', 'Insufficient balance'],
  ])('refuses %j with "%s" [INV-06]', async (amount, message) => {
    const create = records('post', '/trades/create')
    server.use(create.handler)
    const { user } = openForm()
    const field = await screen.findByLabelText('Amount')
    if (amount) await user.type(field, amount)
    await user.click(screen.getByRole('button', { name: 'Check and invest' }))
    expect(await screen.findByText(message)).toBeVisible()
    expect(create.seen).toHaveLength(0)
  })

  it('says "Investing..." while busy [INV-05] [AUTH-17]', async () => {
    const held = holds('post', '/trades/create')
    server.use(held.handler)
    const { user } = openForm()
    await user.type(await screen.findByLabelText('Amount'), '1000')
    await user.click(screen.getByRole('button', { name: 'Check and invest' }))
    await user.click(screen.getByRole('button', { name: 'Invest' }))
    expect(await screen.findByRole('button', { name: 'Investing...' })).toBeDisabled()
    await held.asked
  })

  it.each(['/investments/plans/add', '/investments/plans/add?planId=other'])('says "Plan not found" at %s [INV-05]', async (path) => {
    server.use(answers('get', '/plans', { plans: [plan] }))
    openAsMember(path)
    expect(await screen.findByText('Plan not found')).toBeVisible()
  })
})

describe('the invest form, with the past of the plan', () => {
  const wallet = { balance: 1000, bonus: 0, held: 0, invested: 0 }
  const disclosed = { ...plan, riskClass: 2, costPercent: 0.45, minHoldingDays: 7, exitFeePercent: 0.5 }
  const openForm = () => {
    server.use(answers('get', '/plans', { plans: [disclosed] }), answers('get', '/plans/plan-1', { plan: disclosed, facts: planFacts }))
    return openAsMember('/investments/plans/add?planId=plan-1', { wallet })
  }
  const valueOf = (label: string) => screen.getByText(label).nextSibling

  it('says what the amount may become, and repeats it before it is invested [D-T3] [INV-05]', async () => {
    const create = records('post', '/trades/create', {}, 201)
    server.use(create.handler)
    const { user } = openForm()
    const amount = await screen.findByLabelText('Amount')
    expect(await screen.findByText('As in its worst 30 days so far')).toBeVisible()
    expect(valueOf('At target')).toHaveTextContent('–')
    await user.type(amount, '500.01')
    expect(valueOf('At target')).toHaveTextContent('$520.01')
    expect(valueOf('As in its worst 30 days so far')).toHaveTextContent('$487.50')
    await user.click(screen.getByRole('button', { name: 'Check and invest' }))
    expect(screen.getByRole('heading', { name: 'Check and invest' })).toHaveFocus()
    const facts = [
      ['You invest', '$500.01'], ['Balance afterwards', '$499.99'], ['At target', '$520.01'], ['As in its worst 30 days so far', '$487.50'],
      ['Risk', '2 of 7, low risk'], ['Costs', '0.45% a year'], ['Leaving early', '0.5% of the value within the first 7 days'],
    ] as const
    for (const [label, value] of facts) expect(valueOf(label)).toHaveTextContent(value)
    await user.click(screen.getByRole('button', { name: 'Change the amount' }))
    expect(screen.getByLabelText('Amount')).toHaveValue('500.01')
    await user.click(screen.getByRole('button', { name: 'Check and invest' }))
    await user.click(screen.getByRole('button', { name: 'Invest' }))
    await waitFor(() => expect(currentPath()).toBe('/investments'))
    expect(create.seen).toHaveLength(1)
  })

  it('returns to the amount when the server refuses it [INV-06]', async () => {
    server.use(refuses('post', '/trades/create', 422, { message: 'Insufficient balance', errors: { amount: 'Insufficient balance' } }))
    const { user } = openForm()
    await user.type(await screen.findByLabelText('Amount'), '500')
    await user.click(screen.getByRole('button', { name: 'Check and invest' }))
    await user.click(screen.getByRole('button', { name: 'Invest' }))
    expect(await screen.findByText('Insufficient balance')).toBeVisible()
    expect(screen.getByLabelText('Amount')).toHaveValue('500')
  })

  it('comes after the risk page, once [D-T3]', async () => {
    const answer = records('put', '/trades/risk-answer', { answeredAt: '2026-03-05T14:07:00Z' })
    server.use(answer.handler, answers('get', '/trades/risk-answer', { version: 3, answeredAt: null }))
    const { user } = openForm()
    expect(await screen.findByRole('heading', { name: 'Before you invest' })).toBeVisible()
    expect(screen.queryByLabelText('Amount')).toBeNull()
    server.use(answers('get', '/trades/risk-answer', { version: 3, answeredAt: '2026-03-05T14:07:00Z' }))
    await user.click(screen.getByRole('button', { name: 'I understand that I can lose money' }))
    expect(await screen.findByLabelText('Amount')).toBeVisible()
    expect(answer.seen[0]?.body).toEqual({ version: 3 })
  })

  it('rounds every outlook down [D-I1]', () => {
    expect(changedBy(10_001, 4)).toBe(10_401)
    expect(changedBy(10_001, -2.5)).toBe(9_750)
    expect(changedBy(10_000, -2.5)).toBe(9_750)
    expect(changedBy(0, -2.5)).toBe(0)
  })
})
