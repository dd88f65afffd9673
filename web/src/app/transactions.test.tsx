import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { describe, expect, it, vi } from 'vitest'
import { formatDateTime } from '@/lib/dates'
import { queryClient } from '@/lib/query-client'
import { useSession } from '@/lib/session'
import { currentPath, openAsMember } from '@/testing/render'
import { transaction } from '@/testing/samples'
import { answers, holds, member, refuses, server } from '@/testing/server'

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
