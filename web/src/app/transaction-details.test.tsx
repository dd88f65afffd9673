import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { brand } from '@/lib/brand'
import { queryClient } from '@/lib/query-client'
import { currentPath, openAsMember } from '@/testing/render'
import { btc, quoteOf, step, transaction } from '@/testing/samples'
import { answers, holds, records, refuses, server, terms } from '@/testing/server'

describe('the details', () => {
  it('show everything about the transaction and its owner [TXN-04] [TXN-05]', async () => {
    const shown = transaction({ id: 'c1a9e0d4-5d2e-4b8a-8f0e-111111111111', status: 'pending', amount: 2500, description: 'By USDT on TRC20' })
    server.use(answers('get', '/transactions/user', { transactions: [shown] }))
    openAsMember(`/transactions/${shown.id}`)
    expect(await screen.findByText('By USDT on TRC20')).toBeVisible()
    expect(screen.getByText('+$2,500.00')).toBeVisible()
    const value = (label: string) => screen.getByText(label).nextSibling
    expect(value('Reference')).toHaveTextContent('TNX-c1a9e0')
    expect(value('Amount')).toHaveTextContent('$2,500.00')
    expect(value('Date')).toHaveTextContent('March 5, 2026')
    expect(value('Type')).toHaveTextContent('Credit')
    expect(value('Status')).toHaveTextContent('Pending')
    for (const [label, text] of [['Name', 'Amara Lindqvist'], ['Email', 'amara@example.com'], ['Phone', '+46 70 123 45 67'], ['Country', 'Sweden']] as const) {
      expect(value(label)).toHaveTextContent(text)
    }
  })

  it('charge nothing for a withdrawal that failed, and name no decision of a trade [U19]', async () => {
    const failed = transaction({ kind: 'withdrawal', title: 'Withdrawal', type: 'debit', status: 'failed', amount: 300, fee: 7.5, netAmount: 292.5, decidedAt: '2026-03-05T15:00:00Z' })
    const trade = transaction({ kind: 'trade', title: 'Trade', type: 'debit', decidedAt: '2026-03-05T15:00:00Z' })
    server.use(answers('get', '/transactions/user', { transactions: [failed, trade] }))
    const { unmount } = openAsMember(`/transactions/${failed.id}`)
    expect((await screen.findByText('Decided')).nextSibling).toHaveTextContent(/^March 5, 2026 at .*[AP]M [A-Z]/)
    for (const label of ['Fee', 'Payout']) expect(screen.queryByText(label)).toBeNull()
    unmount()
    openAsMember(`/transactions/${trade.id}`)
    expect(await screen.findByText('Reference')).toBeVisible()
    expect(screen.queryByText('Decided')).toBeNull()
  })

  it('say what is asked while a payment is open, and what was paid afterwards [U19]', async () => {
    const quote = quoteOf({})
    const method = { id: btc.id, currency: 'BTC', network: 'Bitcoin', address: btc.address, version: 1 }
    const open = transaction({ status: 'pending', quote, method })
    const done = transaction({ quote, method })
    server.use(answers('get', '/transactions/user', { transactions: [open, done] }))
    const { unmount } = openAsMember(`/transactions/${open.id}`)
    expect((await screen.findByText('Amount to send')).nextSibling).toHaveTextContent('0.00513809 BTC')
    expect(screen.getByText('Pay to').nextSibling).toHaveTextContent(btc.address)
    // A payment that was detected is not asked for a second time.
    server.use(answers('get', '/transactions/:id/payments', { steps: [{ key: 'seen', state: 'done', at: null }] }))
    expect((await screen.findByText('Amount asked', {}, { timeout: 8000 })).nextSibling).toHaveTextContent('0.00513809 BTC')
    expect(screen.queryByText('Pay to')).toBeNull()
    unmount()
    openAsMember(`/transactions/${done.id}`)
    expect((await screen.findByText('Amount asked')).nextSibling).toHaveTextContent('0.00513809 BTC')
    expect(screen.getByText('Paid to').nextSibling).toHaveTextContent(btc.address)
  })

  it('lead from the hash of a payment to the explorer of its network, if the operator has set one [D-Q7]', async () => {
    const method = { id: 'btc', version: 1, currency: 'BTC', network: 'Bitcoin', address: 'bc1q' }
    const shown = transaction({ status: 'success', txid: 'ab/12', method })
    server.use(answers('get', '/transactions/user', { transactions: [shown] }))
    const { unmount } = openAsMember(`/transactions/${shown.id}`)
    expect(await screen.findByText('ab/12')).toBeVisible()
    expect(screen.queryByRole('link', { name: /ab\/12/ })).toBeNull()
    unmount()
    queryClient.clear()
    server.use(answers('get', '/terms', { ...terms, explorers: { Bitcoin: 'https://explorer.example/tx/{txid}' } }))
    openAsMember(`/transactions/${shown.id}`)
    expect(await screen.findByRole('link', { name: /ab\/12/ })).toHaveAttribute('href', 'https://explorer.example/tx/ab%2F12')
  })

  it.each([
    ['pending', 'bg-caution-soft'], ['success', 'bg-positive-soft'], ['failed', 'bg-negative-soft'],
  ] as const)('give %s its colour [TXN-05]', async (status, tone) => {
    const shown = transaction({ status })
    server.use(answers('get', '/transactions/user', { transactions: [shown] }))
    openAsMember(`/transactions/${shown.id}`)
    const label = { pending: 'Pending', success: 'Success', failed: 'Failed' }[status]
    const badge = (await screen.findAllByText(label)).find((node) => node.classList.contains('rounded-full'))
    expect(badge).toHaveClass(tone)
  })

  it('follow a payment on the chain while it is pending [D-Q7] [D-M6]', async () => {
    const requested = step('requested', { state: 'done', at: '2026-03-05T14:07:00Z' })
    const shown = transaction({ status: 'pending', steps: [requested, step('reviewed', { expectedBy: '2026-03-05T14:30:00Z' })] })
    const onChain = [requested, step('seen', { state: 'done', note: '0.00513809 BTC' }), step('confirmed', { note: '1 of 2 confirmations' }), step('reviewed', { state: 'next' })]
    const held = holds('get', '/transactions/:id/payments')
    server.use(answers('get', '/transactions/user', { transactions: [shown] }), held.handler)
    const { unmount } = openAsMember(`/transactions/${shown.id}`)
    const progress = within(await screen.findByRole('region', { name: 'Progress' }))
    expect(progress.getByText('In review').closest('li')).toHaveAttribute('aria-current', 'step')
    expect(progress.getByText(/^Usually by March 5, 2026 at /)).toBeVisible()
    // Within what announces changes, a list of its own.
    expect(progress.getByRole('list')).not.toHaveAttribute('role')
    unmount()
    queryClient.clear()
    server.use(answers('get', '/transactions/:id/payments', { steps: onChain }))
    openAsMember(`/transactions/${shown.id}`)
    expect((await screen.findByText('Payment detected')).closest('li')).toHaveTextContent('0.00513809 BTC')
    expect(screen.getByText(/1 of 2 confirmations/).closest('li')).toHaveAttribute('aria-current', 'step')
  })

  it('let a deposit be taken back of which nothing was seen, after a question [D-M5]', async () => {
    const shown = transaction({ status: 'pending', steps: [step('requested', { state: 'done' }), step('reviewed')] })
    const taken = records('delete', `/transactions/${shown.id}`, { message: 'Your request has been taken back.' })
    server.use(answers('get', '/transactions/user', { transactions: [shown] }), taken.handler)
    const { user, unmount } = openAsMember(`/transactions/${shown.id}`)
    await user.click(await screen.findByRole('button', { name: 'Take it back' }))
    const dialog = within(await screen.findByRole('dialog', { name: /^Take TNX-.* back\?$/ }))
    expect(taken.seen).toHaveLength(0)
    await user.click(dialog.getByRole('button', { name: 'Take it back' }))
    expect(await screen.findByText('Your request has been taken back.')).toBeVisible()
    expect(taken.seen).toHaveLength(1)
    unmount()
    queryClient.clear()
    server.use(answers('get', '/transactions/:id/payments', { steps: [step('seen', { state: 'done' }), step('confirmed')] }))
    openAsMember(`/transactions/${shown.id}`)
    expect(await screen.findByText('Payment detected')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Take it back' })).toBeNull()
  })

  it('keep where a rejected payment went back, with its hash [D-M5]', async () => {
    const back = (at: string, note: string) => step('returned', { state: 'done', at, note })
    const steps = [step('reviewed', { state: 'failed' }), back('2026-03-05T14:07:00Z', '5 USDT to TBack by transaction ab'), back('2026-03-06T14:07:00Z', '6 USDT to TBack by transaction cd')]
    const rejected = transaction({ status: 'failed', steps })
    server.use(answers('get', '/transactions/user', { transactions: [rejected] }))
    openAsMember(`/transactions/${rejected.id}`)
    expect(await screen.findAllByText('Returned to you')).toHaveLength(2)
    expect(screen.getByText('6 USDT to TBack by transaction cd')).toBeVisible()
  })

  it('offer a way out for what arrived although the request was rejected [D-M5] [D-N2]', async () => {
    const steps = [step('requested', { state: 'done' }), step('reviewed', { state: 'failed' })]
    const rejected = transaction({ status: 'failed', reasonCode: 'NOT_RECEIVED', steps })
    const arrived = [{ chain: 'tron', txid: 'a1', index: 0, asset: 'USDT', units: '195000000', decimals: 6, state: 'final', value: 195 }]
    const deposited = records('post', '/transactions/deposit/arrived', {}, 201)
    server.use(
      answers('get', '/transactions/user', { transactions: [rejected] }),
      answers('get', '/payment-methods', { paymentMethods: [], arrived }),
      deposited.handler,
    )
    const { user } = openAsMember(`/transactions/${rejected.id}`)
    expect(await screen.findByText(/^To have it returned, deposit it/)).toBeVisible()
    await user.click(await screen.findByRole('button', { name: 'Deposit 195 USDT' }))
    await waitFor(() => expect(deposited.seen.map(({ body }) => body)).toEqual([{ chain: 'tron', txid: 'a1', index: 0 }]))
  })

  it('keep the way as a record, with the reason of a failure, its meaning and one thing to do [R1] [D-M6]', async () => {
    const withdrawal = { kind: 'withdrawal', title: 'Withdrawal', type: 'debit', amount: 300 } as const
    const steps = [step('requested', { state: 'done', at: '2026-03-05T14:07:00Z' }), step('reviewed', { state: 'done' })]
    const done = transaction({ ...withdrawal, steps: [...steps, step('arrived', { state: 'done' })] })
    const reason = 'The payout did not go through. The amount is back in your balance.'
    const lost = { ...withdrawal, status: 'failed', description: reason } as const
    const failed = transaction({ ...lost, reasonCode: 'PAYOUT_FAILED', steps: [...steps, step('sent', { state: 'failed', note: reason })] })
    const checked = transaction({ ...lost, reasonCode: 'COMPLIANCE', steps: [...steps, step('reviewed', { state: 'failed', note: reason })] })
    const trade = transaction({ kind: 'trade', title: 'Trade', steps: [step('debited', { state: 'done' })] })
    server.use(answers('get', '/transactions/user', { transactions: [done, failed, checked, trade] }))
    const open = async ({ id }: { id: string }) => {
      const { unmount } = openAsMember(`/transactions/${id}`)
      await screen.findByText('Reference')
      expect(await screen.findByRole('link', { name: 'Open a case' })).toHaveAttribute('href', expect.stringContaining(`kind=transaction&reference=${id}`))
      return unmount
    }
    let close = await open(done)
    const lines = screen.getAllByRole('listitem').filter((line) => line.textContent.includes(', done'))
    expect(lines.map((line) => line.textContent.split(',')[0])).toEqual(['Requested', 'Reviewed', 'Arrived'])
    close()
    close = await open(failed)
    expect(screen.getByText(reason).closest('li')).toHaveTextContent(/^Not paid out/)
    expect(screen.getByText('Nothing was paid out.')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Request again' })).toHaveAttribute('href', '/withdrawals?amount=300')
    close()
    close = await open(checked)
    const progress = within(screen.getByRole('region', { name: 'Progress' }))
    expect(progress.getByRole('link', { name: 'Object to this' })).toHaveAttribute('href', expect.stringContaining(`kind=transaction&reference=${checked.id}`))
    close()
    await open(trade)
    expect(screen.queryByRole('region', { name: 'Progress' })).toBeNull()
  })

  it('open the receipt in a new tab and go back [TXN-06]', async () => {
    const shown = transaction({ receipt: { url: '/v1/files/r?sig=1', contentType: 'image/png' } })
    server.use(answers('get', '/transactions/user', { transactions: [shown] }))
    const { user } = openAsMember('/transactions')
    await user.click(await screen.findByRole('link', { name: /Deposit.*250/ }))
    const receipt = await screen.findByRole('link', { name: /View Receipt/ })
    expect(receipt).toHaveAttribute('href', '/v1/files/r?sig=1')
    expect(receipt).toHaveAttribute('target', '_blank')
    expect(receipt).toHaveAttribute('rel', expect.stringContaining('noopener'))
    await user.click(screen.getByRole('button', { name: 'Back' }))
    await waitFor(() => expect(currentPath()).toBe('/transactions'))
  })

  it('ask for it by id before it counts as not found [TXN-04] [D-L2]', async () => {
    const old = transaction({ title: 'Bonus', description: 'Older than the list' })
    server.use(answers('get', `/transactions/${old.id}`, { transaction: old }))
    openAsMember(`/transactions/${old.id}`)
    expect(await screen.findByText('Older than the list')).toBeVisible()
  })

  it('say "Transaction not found" [TXN-04]', async () => {
    server.use(refuses('get', '/transactions/:id', 404, { message: 'There is no such transaction' }))
    openAsMember('/transactions/00000000-0000-4000-8000-000000000000')
    expect(await screen.findByText('Transaction not found')).toBeVisible()
  })
})

describe('what is kept back or owed', () => {
  it('is not mentioned while there is nothing [D-B9] [D-B10]', async () => {
    openAsMember('/dashboard')
    await screen.findByRole('region', { name: 'Available Balance' })
    expect(screen.queryByText(/^(On hold|Owed)/)).not.toBeInTheDocument()
  })

  it('is told with its reasons [D-B9] [D-B10]', async () => {
    const holds = [{ id: 'h', amount: 25, reasonCode: 'DISPUTE' as const, reason: 'A payment to your account is disputed.', createdAt: '2026-03-01T10:00:00Z' }]
    openAsMember('/dashboard', { wallet: { balance: 0, bonus: 0, held: 0, invested: 0, onHold: 25, holds, owed: 40.5 } })
    expect(await screen.findByText('On hold: $25.00')).toBeVisible()
    expect(screen.getByText(/A payment to your account is disputed\./)).toBeVisible()
    expect(screen.getByText('Owed: $40.50')).toBeVisible()
  })
})

describe('the address of support', () => {
  const support = `mailto:${brand.email}`

  it('is in the member area, and in the notice of a frozen account [D-M8]', async () => {
    openAsMember('/dashboard', { isFrozen: true })
    expect(await screen.findByRole('link', { name: 'Contact support' })).toHaveAttribute('href', support)
    expect((await screen.findByText('Your account is frozen')).parentElement).toHaveTextContent(brand.email)
    expect(screen.getByRole('link', { name: brand.email })).toHaveAttribute('href', support)
  })

  it('is behind the words of a hold and of a rejection [D-M8]', async () => {
    const reason = 'Our team is looking into your account. Please contact support.'
    const holds = [{ id: 'h', amount: 25, reasonCode: 'OTHER' as const, reason, createdAt: '2026-03-01T10:00:00Z' }]
    const { unmount } = openAsMember('/dashboard', { wallet: { balance: 0, bonus: 0, held: 0, invested: 0, onHold: 25, holds } })
    expect(await screen.findByRole('link', { name: 'contact support' })).toHaveAttribute('href', support)
    unmount()
    queryClient.clear()
    const failed = transaction({ status: 'failed', description: 'We could not confirm this payment. Please contact support.' })
    server.use(answers('get', '/transactions/user', { transactions: [failed] }))
    openAsMember(`/transactions/${failed.id}`)
    expect(await screen.findByRole('link', { name: 'contact support' })).toHaveAttribute('href', support)
  })
})
