import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { describe, expect, it, vi } from 'vitest'
import { formatDateTime } from '@/lib/dates'
import { brand } from '@/lib/brand'
import { queryClient } from '@/lib/query-client'
import { useSession } from '@/lib/session'
import { currentPath, openAsMember } from '@/testing/render'
import { btc, quoteOf, step, transaction } from '@/testing/samples'
import { answers, holds, member, records, refuses, server, terms } from '@/testing/server'

/** The lines of the list, which none of what is on its way above it is. */
const rows = () => {
  const moving = screen.queryByRole('region', { name: 'On its way' })
  return within(screen.getByRole('main')).getAllByRole('link').filter((row) => !moving?.contains(row)).map((row) => row.textContent)
}

describe('the list', () => {
  it('filters by status and type on the client [TXN-01]', async () => {
    server.use(
      answers('get', '/transactions/user', {
        transactions: [
          transaction({ title: 'Deposit', status: 'pending' }),
          transaction({ title: 'Withdrawal', status: 'success', type: 'debit' }),
          transaction({ title: 'Bonus', status: 'failed' }),
          { ...transaction({ title: 'Trade', status: 'success' }), type: 'anything else' },
        ],
      }),
    )
    const { user } = openAsMember('/transactions')
    await screen.findByText('Bonus')
    const choose = (group: string, name: string) =>
      user.click(within(screen.getByRole('group', { name: group })).getByRole('radio', { name }))
    expect(rows()).toHaveLength(4)
    await choose('Status', 'Success')
    expect(rows()).toHaveLength(2)
    await choose('Type', 'Debit')
    expect(rows()).toHaveLength(2)
    await choose('Status', 'Pending')
    expect(screen.getByText('No transactions found.')).toBeVisible()
    await choose('Type', 'Credit')
    expect(rows()[0]).toContain('Deposit')
    await choose('Status', 'Failed')
    expect(rows()[0]).toContain('Bonus')
    await choose('Status', 'All')
    await choose('Type', 'All')
    expect(rows()).toHaveLength(4)
  })

  it('has its filter in the address, so that Back finds it again [TXN-01]', async () => {
    const transactions = [transaction({ title: 'Deposit', status: 'pending' }), transaction({ title: 'Bonus', status: 'success' })]
    server.use(answers('get', '/transactions/user', { transactions }))
    const { user } = openAsMember('/transactions?status=pending')
    await screen.findByText('Deposit')
    expect(rows()).toHaveLength(1)
    await user.click(screen.getByRole('radio', { name: 'Success' }))
    await user.click(screen.getByRole('radio', { name: 'Credit' }))
    await waitFor(() => expect(currentPath()).toBe('/transactions?status=success&type=credit'))
    expect(rows()).toHaveLength(1)
    await user.click(screen.getByRole('link', { name: /Bonus/ }))
    window.history.back()
    await screen.findByText('Bonus')
    await waitFor(() => expect(currentPath()).toBe('/transactions?status=success&type=credit'))
    expect(rows()[0]).toContain('Bonus')
  })

  it('looks for a text and a period of the own time zone, kept in the address and as chips [R7] [D-M9]', async () => {
    const asked: Record<string, string>[] = []
    server.use(
      http.get('*/v1/transactions/user', ({ request }) => {
        const query = Object.fromEntries(new URL(request.url).searchParams)
        if (!('q' in query || 'from' in query)) return HttpResponse.json({ success: true, transactions: [transaction({ title: 'Bonus' })] })
        asked.push(query)
        return HttpResponse.json({ success: true, transactions: query.q === 'none' ? [] : [transaction({ title: 'Deposit' })] })
      }),
    )
    const { user } = openAsMember('/transactions?from=2026-03-01&to=2026-03-05')
    expect(await screen.findByRole('link', { name: /Deposit/ })).toBeVisible()
    // The days of the screen, the last one whole.
    expect(asked[0]).toEqual({ from: new Date(2026, 2, 1).toISOString(), to: new Date(2026, 2, 6).toISOString() })
    const box = await screen.findByRole('searchbox', { name: 'Search' })
    await user.type(box, 'none')
    expect(await screen.findByText('None of your transactions matches these filters.')).toBeVisible()
    expect(currentPath()).toBe('/transactions?q=none&from=2026-03-01&to=2026-03-05')
    expect(box).toHaveFocus()
    const chips = within(screen.getByRole('list', { name: 'Looked for' }))
    await user.click(chips.getByRole('button', { name: /none/ }))
    await waitFor(() => expect(box).toHaveValue(''))
    for (const name of [/From Mar 1, 2026/, /To Mar 5, 2026/]) await user.click(chips.getByRole('button', { name }))
    expect(await screen.findByRole('link', { name: /Bonus/ })).toBeVisible()
    expect(currentPath()).toBe('/transactions')
  })

  it('names each day once [R7]', async () => {
    const at = (createdAt: string) => transaction({ createdAt })
    server.use(answers('get', '/transactions/user', { transactions: [at('2026-03-05T14:07:00Z'), at('2026-03-05T12:00:00Z'), at('2026-03-02T12:00:00Z')] }))
    openAsMember('/transactions')
    expect(await screen.findAllByText('Mar 5, 2026')).toHaveLength(1)
    expect(screen.getAllByText('Mar 2, 2026')).toHaveLength(1)
  })

  it('has five skeletons while loading [TXN-02]', async () => {
    const held = holds('get', '/transactions/user')
    server.use(held.handler)
    openAsMember('/transactions')
    await screen.findByText('Loading transactions')
    expect(screen.getAllByTestId('skeleton')).toHaveLength(5)
    await held.asked
  })

  it('says when there are none [TXN-02] [D-L5]', async () => {
    openAsMember('/transactions')
    expect(await screen.findByText('No transactions found.')).toBeVisible()
  })

  it('says why there are none, and what to do next [TXN-02] [R3]', async () => {
    const { user, unmount } = openAsMember('/transactions')
    expect(await screen.findByRole('link', { name: 'Make a deposit' })).toHaveAttribute('href', '/deposits')
    unmount()
    queryClient.clear()
    server.use(answers('get', '/transactions/user', { transactions: [transaction({ title: 'Bonus' })] }))
    openAsMember('/transactions?status=failed')
    expect(await screen.findByText('None of your transactions matches these filters.')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Show all' }))
    expect(await screen.findByText('Bonus')).toBeVisible()
  })

  it('shows icon, title, long date, badge and signed amount, and opens the details [TXN-03] [D-L4]', async () => {
    const credit = transaction({ title: 'DEPOSIT', status: 'pending', amount: 1250 })
    const debit = transaction({ title: 'Withdrawal', type: 'debit', status: 'failed', amount: 40.5 })
    server.use(answers('get', '/transactions/user', { transactions: [credit, debit] }))
    const { user } = openAsMember('/transactions')
    const row = within(await screen.findByRole('link', { name: /DEPOSIT/ }))
    expect(row.getByText(formatDateTime(credit.createdAt))).toHaveTextContent(/^March 5, 2026 at \d{1,2}:07 [AP]M$/)
    expect(row.getByText('Pending')).toBeVisible()
    expect(row.getByText('+$1,250.00')).toBeVisible()
    const icon = document.querySelector('a[href$="' + credit.id + '"] svg')
    expect(icon).toHaveClass('lucide-arrow-down-to-line')
    const other = screen.getByRole('link', { name: /Withdrawal.*40\.50/ })
    expect(within(other).getByText('-$40.50').tagName).toBe('S')
    await user.click(other)
    expect(currentPath()).toBe(`/transactions/${debit.id}`)
  })

  it('says what each row is about, and tells rows of the same minute apart [TXN-03]', async () => {
    const minute = (second: string) => ({ title: 'Trade', type: 'debit' as const, createdAt: `2026-03-05T14:07:${second}Z` })
    server.use(
      answers('get', '/transactions/user', {
        transactions: [
          transaction({ ...minute('20'), description: 'Invested in Growth' }),
          transaction({ ...minute('02'), description: 'Invested in Starter' }),
          transaction({ createdAt: '2026-03-05T15:30:59Z' }),
        ],
      }),
    )
    openAsMember('/transactions')
    expect(await screen.findByRole('link', { name: /Trade.*Invested in Growth.*:07:20 [AP]M/ })).toBeVisible()
    expect(screen.getByRole('link', { name: /Trade.*Invested in Starter.*:07:02 [AP]M/ })).toBeVisible()
    expect(screen.getByText(formatDateTime('2026-03-05T15:30:59Z'))).toBeVisible()
  })

  it('shows no credit in green before it has arrived [TXN-03] [D-D5]', async () => {
    const [pending, booked] = [transaction({ status: 'pending', amount: 11 }), transaction({ amount: 12 })]
    server.use(answers('get', '/transactions/user', { transactions: [pending, booked] }))
    openAsMember('/transactions')
    const tone = async (text: string) => (await screen.findByText(text)).closest('.tabular')
    expect(await tone('+$11.00')).not.toHaveClass('text-positive')
    expect(await tone('+$12.00')).toHaveClass('text-positive')
  })

  it('shows a short page first, then a long one, and older ones by cursor [D-L2]', async () => {
    const pages: Record<string, object> = {
      '': { transactions: [transaction({ title: 'Deposit' })], nextCursor: 'c2' },
      c2: { transactions: [transaction({ title: 'Bonus' })], nextCursor: 'c3' },
      c3: { transactions: [transaction({ title: 'Profit' })] },
    }
    const asked: string[] = []
    server.use(
      http.get('*/v1/transactions/user', ({ request }) => {
        const { search, searchParams } = new URL(request.url)
        asked.push(search)
        return HttpResponse.json({ success: true, ...pages[searchParams.get('cursor') ?? ''] })
      }),
    )
    const { user } = openAsMember('/transactions')
    expect(await screen.findByText('Bonus')).toBeVisible()
    expect(screen.getByText('Deposit')).toBeVisible()
    expect(asked).toEqual(['?size=50', '?cursor=c2'])
    await user.click(screen.getByRole('button', { name: 'Load older transactions' }))
    expect(await screen.findByText('Profit')).toBeVisible()
    expect(screen.getByText('Deposit')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Load older transactions' })).toBeNull()
  })

  it('reads no more than the short page for the dashboard [DASH-04]', async () => {
    const asked: string[] = []
    server.use(
      http.get('*/v1/transactions/user', ({ request }) => {
        asked.push(new URL(request.url).search)
        return HttpResponse.json({ success: true, transactions: [transaction({ title: 'Deposit' })], nextCursor: 'c2' })
      }),
    )
    openAsMember('/dashboard')
    expect(await screen.findByText('Deposit')).toBeVisible()
    expect(asked).toEqual(['?size=50'])
  })
})

describe('a decision', () => {
  it('is found by looking again, and the balance with it, where no stream tells of it [D-D1] [D-W3]', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'], shouldAdvanceTime: true })
    try {
      const deposit = transaction({ status: 'pending' })
      server.use(answers('get', '/transactions/user', { transactions: [deposit] }))
      openAsMember('/dashboard', { isWithdrawalPending: true })
      const balance = within(await screen.findByRole('region', { name: 'Available Balance' }))
      await screen.findByText('Pending')
      expect(balance.getByText('$1,000.00')).toBeVisible()

      const user = { ...member, isWithdrawalPending: false, wallet: { balance: 1250, bonus: 0, held: 0, invested: 0 } }
      server.use(
        answers('get', '/transactions/user', { transactions: [{ ...deposit, status: 'success' }] }),
        answers('get', '/auth/check', { user, token: 'fresh-token' }),
      )
      await vi.advanceTimersByTimeAsync(10_000)
      expect(await balance.findByText('$1,250.00')).toBeVisible()
      expect(screen.getByText('Success')).toBeVisible()
      expect(useSession.getState().user?.isWithdrawalPending).toBe(false)
    } finally {
      vi.useRealTimers()
    }
  })
})

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

describe('the statement', () => {
  it('shows what is wrong with the period at its field, its own rules and those of the server [MSG-03] [D-L7]', async () => {
    const { user } = openAsMember('/transactions')
    await user.click(await screen.findByRole('button', { name: 'Statement' }))
    const [from, to] = [await screen.findByLabelText('From'), screen.getByLabelText('To')]
    const ask = async (first: string, last: string) => {
      await user.clear(from)
      await user.type(from, first)
      await user.clear(to)
      await user.type(to, last)
      await user.click(screen.getByRole('button', { name: 'Download' }))
    }
    await ask('2026-02-01', '2026-01-01')
    expect(await screen.findByText('Choose a date on or after the start date')).toBeVisible()
    server.use(refuses('get', '/transactions/statement', 422, { message: 'Check the period', errors: { to: 'At most a year' } }))
    await ask('2024-01-01', '2026-01-01')
    expect(await screen.findByText('At most a year')).toBeVisible()
    expect(screen.getByText('Check the period')).toBeVisible()
  })
})

describe('documents', () => {
  /** What is saved as a file, by the requests that brought it. */
  const saved = () => {
    const asked: string[] = []
    vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:x')
    vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      asked.push(this.download)
    })
    const file = () => new HttpResponse('%PDF-', { headers: { 'content-type': 'application/pdf' } })
    const note = ({ request }: { request: Request }) => {
      asked.push(request.url.replace(/.*\/v1/, ''))
      return file()
    }
    server.use(http.get('*/v1/transactions/statement', note), http.get('*/v1/statements/:year', note), http.get('*/v1/transactions/:id/receipt', note))
    return asked
  }

  it('list months and years, each as a PDF and for a spreadsheet [D-M9] [R6]', async () => {
    const asked = saved()
    const { user } = openAsMember('/transactions')
    await user.click(await screen.findByRole('button', { name: 'Statement' }))
    const list = within(await screen.findByRole('list', { name: 'Months and years' }))
    expect(list.getAllByRole('listitem')).toHaveLength(14)
    const year = new Date().getUTCFullYear()
    await user.click(list.getByRole('button', { name: `CSV of Year ${year}` }))
    await waitFor(() => expect(asked).toEqual([`/statements/${year}?format=csv`, `solvane-year-${year}.csv`]))
    const first = list.getAllByRole('listitem')[2]?.firstChild?.textContent ?? ''
    await user.click(list.getByRole('button', { name: `PDF of ${first}` }))
    const today = new Date().toISOString().slice(0, 10)
    const month = `${today.slice(0, 8)}01`
    await waitFor(() =>
      expect(asked.slice(2)).toEqual([`/transactions/statement?from=${month}&to=${today}&format=pdf`, `solvane-statement-${month}-${today}.pdf`]),
    )
  })

  it.each([
    ['success', 'Download the receipt'],
    ['pending', 'Download the record'],
  ] as const)('include one of each transaction, named by its state: %s [D-M9]', async (status, name) => {
    const asked = saved()
    const one = transaction({ title: 'Deposit', status })
    server.use(answers('get', '/transactions/user', { transactions: [one] }), answers('get', '/transactions/:id', { transaction: one }))
    const { user } = openAsMember(`/transactions/${one.id}`)
    await user.click(await screen.findByRole('button', { name }))
    await waitFor(() => expect(asked).toEqual([`/transactions/${one.id}/receipt`, `solvane-receipt-${one.reference}.pdf`]))
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
