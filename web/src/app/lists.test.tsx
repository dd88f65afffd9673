import { screen, waitFor, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { openAsMember } from '@/testing/render'
import { btc, own, plan, trade, transaction, usdt } from '@/testing/samples'
import { answers, refuses, server } from '@/testing/server'

// jsdom has no canvas.
vi.mock('@/components/line-chart', () => ({ LineChart: () => null }))

const deposit = transaction({ description: 'By USDT on TRC20' })
const signIn = { at: '2026-03-05T14:07:00Z', kind: 'sign_in', refused: false, device: 'Firefox on Linux', addressBlock: '203.0.113.0/24' }
const session = { id: 's1', current: true, device: 'Firefox on Linux', address: '203.0.113.7', lastSeenAt: '2026-03-05T14:07:00Z' }

/** What fails, by which requirement it is there, the page it stands on, its address, what it answers when asked again, and how that shows. */
const lists = [
  ['the transactions', '[TXN-02]', '/transactions', '/transactions/user', { transactions: [deposit] }, 'Deposit'],
  ['a transaction', '[TXN-04]', `/transactions/${deposit.id}`, `/transactions/${deposit.id}`, { transaction: deposit }, 'By USDT on TRC20'],
  ['the trades', '[INV-01]', '/investments', '/trades', { trades: [trade()] }, 'Claim Profit'],
  ['the plans', '[INV-04]', '/investments/plans', '/plans', { plans: [plan] }, 'Click to Invest'],
  ['the methods of a deposit', '[DEP-02]', '/deposits', '/payment-methods', { paymentMethods: [usdt] }, 'TRC20'],
  ['the methods of a withdrawal', '[WDR-01]', '/withdrawals', '/payment-methods', { paymentMethods: [btc] }, 'Bitcoin'],
  ['the payment methods', '[D-M4]', '/payment-methods', '/payment-methods', { paymentMethods: [own] }, 'My wallet'],
  ['the activity', '[D-A7]', '/profile/activity', '/users/activity', { events: [signIn] }, 'Logged in'],
  ['the sessions', '[D-S4]', '/profile', '/auth/sessions', { sessions: [session] }, 'Firefox on Linux'],
] as const

it.each(lists)('%s: a failure is no empty list, and Retry loads it [D-L5] %s', async (_list, _ids, path, url, body, shows) => {
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
