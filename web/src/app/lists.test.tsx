import { screen, waitFor, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { openAsMember } from '@/testing/render'
import { btc, own, plan, trade, transaction, usdt } from '@/testing/samples'
import { answers, refuses, server } from '@/testing/server'

// jsdom has no canvas.
vi.mock('@/components/line-chart', () => ({ LineChart: () => null }))

const deposit = transaction({ description: 'By USDT on TRC20' })
const session = { id: 's1', current: true, device: 'Firefox on Linux', address: '203.0.113.7', lastSeenAt: '2026-03-05T14:07:00Z' }

/** What fails, the page it stands on, what it answers when asked again, and how that shows. */
const lists = [
  { list: 'the transactions', ids: '[TXN-02]', path: '/transactions', url: '/transactions/user', body: { transactions: [deposit] }, shows: 'Deposit' },
  { list: 'a transaction', ids: '[TXN-04]', path: `/transactions/${deposit.id}`, url: '/transactions/:id', body: { transaction: deposit }, shows: 'By USDT on TRC20' },
  { list: 'the trades', ids: '[INV-01]', path: '/investments', url: '/trades', body: { trades: [trade()] }, shows: 'Claim Profit' },
  { list: 'the plans', ids: '[INV-04]', path: '/investments/plans', url: '/plans', body: { plans: [plan] }, shows: 'Click to Invest' },
  { list: 'the methods of a deposit', ids: '[DEP-02]', path: '/deposits', url: '/payment-methods', body: { paymentMethods: [usdt] }, shows: 'TRC20' },
  { list: 'the methods of a withdrawal', ids: '[WDR-01]', path: '/withdrawals', url: '/payment-methods', body: { paymentMethods: [btc] }, shows: 'Bitcoin' },
  { list: 'the payment methods', ids: '[D-M4]', path: '/payment-methods', url: '/payment-methods', body: { paymentMethods: [own] }, shows: 'My wallet' },
  { list: 'the sessions', ids: '[D-S4]', path: '/profile', url: '/auth/sessions', body: { sessions: [session] }, shows: 'Firefox on Linux' },
]

it.each(lists)('$list: a failure is no empty list, and Retry loads it [D-L5] $ids', async ({ path, url, body, shows }) => {
  server.use(refuses('get', url, 403, { message: 'The list is away for a moment' }))
  const { user } = openAsMember(path)
  const main = within(await screen.findByRole('main'))
  const panel = await main.findByRole('alert')
  expect(panel).toHaveTextContent('This could not be loaded')
  expect(panel).toHaveTextContent('The list is away for a moment')
  expect(main.queryByText(/not found|no .* (yet|available|found|saved)/i)).toBeNull()

  server.use(answers('get', url, body))
  await user.click(within(panel).getByRole('button', { name: 'Retry' }))
  expect(await main.findByText(shows)).toBeVisible()
  await waitFor(() => expect(main.queryByText('This could not be loaded')).toBeNull())
})
