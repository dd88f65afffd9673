import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { describe, expect, it, vi } from 'vitest'
import defaultAvatar from '@/assets/default-avatar.svg?inline'
import { formatMoment, formatZoned } from '@/lib/dates'
import { queryClient, retryDelay } from '@/lib/query-client'
import { currentPath, openAsMember } from '@/testing/render'
import { step, trade, transaction } from '@/testing/samples'
import { answers, holds, refuses, server } from '@/testing/server'

const targets = ['/dashboard', '/courses', '/deposits', '/withdrawals', '/investments', '/transactions', '/profile']

describe('the shell', () => {
  it('leads everywhere from the sidebar and from the drawer [NAV-01]', async () => {
    const { user } = openAsMember('/profile')
    const check = (nav: HTMLElement) => {
      expect(within(nav).getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(targets)
      expect(within(nav).getByRole('button', { name: 'Logout' })).toBeInTheDocument()
    }
    check(await screen.findByRole('navigation', { name: 'Main' }))
    await user.click(screen.getByRole('button', { name: 'Open menu' }))
    const drawer = screen.getByRole('dialog', { name: 'Menu' })
    check(within(drawer).getByRole('navigation', { name: 'Main' }))
    await user.click(within(drawer).getByRole('link', { name: 'Transactions' }))
    expect(currentPath()).toBe('/transactions')
    expect(screen.queryByRole('dialog', { name: 'Menu' })).not.toBeInTheDocument()
  })

  it('has the ways of every day within reach of the thumb, and the drawer for the rest [NAV-01] [R11]', async () => {
    const { user } = openAsMember('/investments')
    const bar = await screen.findByRole('navigation', { name: 'Quick menu' })
    expect(within(bar).getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['/dashboard', '/investments', '/transactions', '/profile'])
    expect(within(bar).getByRole('link', { name: 'Invest' })).toHaveAttribute('aria-current', 'page')
    await user.click(within(bar).getByRole('button', { name: 'Move money' }))
    const moves = screen.getByRole('dialog', { name: 'Move money' })
    expect(within(moves).getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['/deposits', '/withdrawals', '/investments/plans'])
    await user.click(within(moves).getByRole('link', { name: /Make Deposit/ }))
    expect(currentPath()).toBe('/deposits')
    expect(screen.queryByRole('dialog', { name: 'Move money' })).not.toBeInTheDocument()
  })

  it('shows who is logged in, with ways on, and closes on a click outside [NAV-02]', async () => {
    const { user } = openAsMember('/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Account menu' }))
    const menu = await screen.findByRole('menu')
    expect(within(menu).getByText('Amara Lindqvist')).toBeVisible()
    expect(within(menu).getByText('amara@example.com')).toBeVisible()
    expect(menu.querySelector('img')).toHaveAttribute('src', defaultAvatar)
    // A menu may hold items alone: the photo beside the name says nothing of its own.
    expect(within(menu).queryByRole('img')).toBeNull()
    const links = within(menu).getAllByRole('menuitem').map((item) => item.getAttribute('href'))
    expect(links).toEqual(['/profile', '/investments', '/investments/plans', '/transactions', null])
    await user.click(await screen.findByRole('heading', { name: 'Dashboard' }))
    await waitFor(() => expect(screen.queryByRole('menu')).not.toBeInTheDocument())
  })

  it('scrolls smoothly to the top on each change of the route [NAV-04]', async () => {
    const scroll = vi.spyOn(window, 'scrollTo')
    const { user } = openAsMember('/dashboard')
    await user.click(await screen.findByRole('link', { name: 'View All' }))
    expect(currentPath()).toBe('/transactions')
    expect(scroll).toHaveBeenLastCalledWith({ top: 0, behavior: 'smooth' })
  })

  it('moves the focus to the heading of the new page', async () => {
    const { user } = openAsMember('/dashboard')
    await user.click(await screen.findByRole('link', { name: 'View All' }))
    await waitFor(() => expect(screen.getByRole('heading', { name: 'Transactions' })).toHaveFocus())
  })

  it('keeps the theme and starts light [AUTH-16]', async () => {
    const { user } = openAsMember('/profile')
    expect(await screen.findByRole('radio', { name: 'Light' })).toBeChecked()
    await user.click(screen.getByRole('radio', { name: 'Dark' }))
    expect(document.documentElement).toHaveAttribute('data-theme', 'dark')
    expect(JSON.parse(localStorage.getItem('theme') ?? '{}')).toMatchObject({ state: { theme: 'dark' } })
    await user.click(screen.getByRole('radio', { name: 'Light' }))
  })
})

describe('data', () => {
  it('is retried three times, 1000 ms doubling to 30000 ms, and lives 300000 ms [API-25]', () => {
    const { retry, gcTime } = queryClient.getDefaultOptions().queries ?? {}
    const again = retry as (failures: number, error: Error) => boolean
    expect([0, 1, 2, 3].map((failures) => again(failures, new Error('Network Error')))).toEqual([true, true, true, false])
    expect([0, 1, 2, 3, 4, 5, 6].map(retryDelay)).toEqual([1000, 2000, 4000, 8000, 16000, 30000, 30000])
    expect(gcTime).toBe(300_000)
    expect(queryClient.getDefaultOptions().mutations?.retry).toBeUndefined()
  })
})

describe('the dashboard', () => {
  it('shows the four figures [DASH-01] [MSG-04]', async () => {
    server.use(answers('get', '/trades', { trades: [trade({ amount: 0.1 }), trade({ id: 't2', amount: 1200.2 })] }))
    openAsMember('/dashboard', { hasPurchasedCourse: true, wallet: { balance: 12480.7, bonus: 150, held: 0, invested: 0 } })
    const card = (name: string) => within(screen.getByRole('region', { name }))
    await screen.findByRole('region', { name: 'Available Balance' })
    expect(card('Available Balance').getByText('$12,480.70')).toBeVisible()
    expect(card('Total Bonus').getByText('$150.00')).toBeVisible()
    expect(await card('Total Investments').findByText('$1,200.30')).toBeVisible()
    expect(card('Active Courses').getByText('1')).toBeVisible()
  })

  it('shows what an open withdrawal holds, and nothing where none does [DASH-01] [D-W2]', async () => {
    const { unmount } = openAsMember('/dashboard', { wallet: { balance: 100, bonus: 0, held: 1500, invested: 0 } })
    const balance = async () => within(await screen.findByRole('region', { name: 'Available Balance' }))
    expect((await balance()).getByText('$1,500.00 held for a withdrawal')).toBeVisible()
    unmount()
    queryClient.clear()
    openAsMember('/dashboard')
    expect((await balance()).queryByText(/held/)).toBeNull()
  })

  it('counts no course before it is bought [DASH-01] [CRS-02]', async () => {
    openAsMember('/dashboard')
    expect(within(await screen.findByRole('region', { name: 'Active Courses' })).getByText('0')).toBeVisible()
  })

  it('shows a dash and Retry while the wallet cannot be asked, and nobody is logged out [D-S2]', async () => {
    const { user } = openAsMember('/dashboard', { wallet: null })
    const card = within(await screen.findByRole('region', { name: 'Available Balance' }))
    expect(card.getByText('–')).toBeVisible()
    server.use(answers('get', '/auth/check', { user: { ...(await import('@/testing/server')).member }, token: 't' }))
    await user.click(card.getByRole('button', { name: 'Retry' }))
    expect(await card.findByText('$1,000.00')).toBeVisible()
  })

  it('leads to deposit, withdrawal and the shortcuts [DASH-02] [DASH-05]', async () => {
    openAsMember('/dashboard')
    expect(await screen.findByRole('link', { name: /Make Deposit/ })).toHaveAttribute('href', '/deposits')
    expect(screen.getByRole('link', { name: /Make Withdrawal/ })).toHaveAttribute('href', '/withdrawals')
    const tiles = within(screen.getByRole('navigation', { name: 'Shortcuts' }))
    expect(tiles.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['/investments', '/transactions', '/profile'])
  })

  it('shows the portfolio in percent, with a clamped bar [DASH-03]', async () => {
    server.use(answers('get', '/trades', { trades: [trade({ amount: 1000, currentValue: 1100 }), trade({ id: 't2', amount: 1000, currentValue: 1010 })] }))
    openAsMember('/dashboard')
    expect(await screen.findByText('105.5%')).toBeVisible()
    expect(screen.getByRole('progressbar', { name: 'Current value over total invested' })).toHaveAttribute('aria-valuenow', '100')
    expect(screen.getByText('Total investment').nextSibling).toHaveTextContent('$2,000.00')
    expect(screen.getByText('Current value').nextSibling).toHaveTextContent('$2,110.00')
  })

  it('is at 0 percent when nothing is invested [D-L3]', async () => {
    openAsMember('/dashboard')
    expect(await screen.findByText('0.0%')).toBeVisible()
  })

  it('puts what was gained in dollars before the percent, and says when nothing is invested [U15] [DASH-03]', async () => {
    const { unmount } = openAsMember('/dashboard')
    expect(await screen.findByText('Nothing invested yet')).toBeVisible()
    expect(screen.getByRole('link', { name: 'See the plans' })).toHaveAttribute('href', '/investments/plans')
    unmount()
    queryClient.clear()
    server.use(answers('get', '/trades', { trades: [trade({ amount: 1000, currentValue: 1134 })] }))
    openAsMember('/dashboard')
    const gain = await screen.findByText('+$134.00')
    expect(gain.compareDocumentPosition(screen.getByText('113.4%'))).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
    expect(screen.queryByText('Nothing invested yet')).toBeNull()
  })

  it('shows what is on its way, with its stage and the way there [R1] [D-M6]', async () => {
    const notBefore = '2026-03-06T14:07:00Z'
    const withdrawal = { kind: 'withdrawal', title: 'Withdrawal', type: 'debit', status: 'pending' } as const
    const transactions = [
      transaction({ status: 'pending', amount: 251, steps: [step('requested', { state: 'done' }), step('reviewed', { expectedBy: notBefore })] }),
      transaction({ ...withdrawal, amount: 60, steps: [step('address', { note: 'Waits for the code that we emailed you.' })] }),
      transaction({ ...withdrawal, amount: 61, steps: [step('waiting', { expectedBy: notBefore })] }),
      transaction({ ...withdrawal, amount: 62, steps: [step('sent')] }),
      transaction({ amount: 999 }),
    ]
    server.use(answers('get', '/transactions/user', { transactions }))
    openAsMember('/dashboard')
    const rows = within(await screen.findByRole('region', { name: 'On its way' })).getAllByRole('link')
    expect(rows.map((row) => row.textContent)).toEqual([
      `$251.00 depositIn review, usually by ${formatMoment(notBefore)}`,
      '$60.00 withdrawalWaits for the code that we emailed you.',
      `$61.00 withdrawalCan be approved from ${formatZoned(notBefore)}`,
      '$62.00 withdrawalApproved, waits for the payout',
    ])
    expect(rows[0]).toHaveAttribute('href', `/transactions/${transactions[0]?.id}`)
  })

  it('says nothing of movements where nothing moves [R1]', async () => {
    server.use(answers('get', '/transactions/user', { transactions: [transaction()] }))
    openAsMember('/dashboard')
    await screen.findByText('Deposit')
    expect(screen.queryByText('On its way')).toBeNull()
  })

  it('shows the first three transactions [DASH-04]', async () => {
    const titles = ['Deposit', 'Trade', 'Profit', 'Bonus']
    server.use(answers('get', '/transactions/user', { transactions: titles.map((title) => transaction({ title })) }))
    openAsMember('/dashboard')
    await screen.findByText('Profit')
    expect(screen.queryByText('Bonus')).not.toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'View All' })).toHaveAttribute('href', '/transactions')
  })

  it('has three skeletons while loading [DASH-04]', async () => {
    const held = holds('get', '/transactions/user')
    server.use(held.handler)
    openAsMember('/dashboard')
    await screen.findByText('Loading recent transactions')
    expect(screen.getAllByTestId('skeleton')).toHaveLength(3)
    await held.asked
  })

  it('says when there are none [DASH-04]', async () => {
    openAsMember('/dashboard')
    expect(await screen.findByText('No recent transactions found.')).toBeVisible()
  })

  it('tells an error from an empty list and retries [D-L5] [MSG-01]', async () => {
    server.use(refuses('get', '/transactions/user', 403, { message: 'Not now' }))
    const { user } = openAsMember('/dashboard')
    const panel = (await screen.findByText('This could not be loaded')).closest<HTMLElement>('[role="alert"]')
    expect(screen.queryByText('No recent transactions found.')).not.toBeInTheDocument()
    server.use(answers('get', '/transactions/user', { transactions: [transaction({ title: 'Bonus' })] }))
    await user.click(within(panel as HTMLElement).getByRole('button', { name: 'Retry' }))
    expect(await screen.findByText('Bonus')).toBeVisible()
  })

  it('shows what changed when the server says so, without a reload', async () => {
    let send: (chunk: string) => void = () => undefined
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        send = (chunk) => controller.enqueue(new TextEncoder().encode(chunk))
      },
    })
    server.use(http.get('*/v1/events', () => new HttpResponse(stream, { headers: { 'Content-Type': 'text/event-stream' } })))
    openAsMember('/dashboard')
    await screen.findByText('No recent transactions found.')
    server.use(answers('get', '/transactions/user', { transactions: [transaction({ title: 'Deposit' })] }))
    send('event: change\ndata: wallet.v1.deposit_confirmed\n\n')
    expect(await screen.findByText('Deposit')).toBeVisible()
  })
})

describe('the start of a new member', () => {
  const empty = { balance: 0, bonus: 0, held: 0, invested: 0 }
  const start = async () => within(await screen.findByRole('region', { name: 'Getting started' }))

  it('is four steps with what is done, beside the four figures [R3] [DASH-01]', async () => {
    openAsMember('/dashboard', { wallet: empty })
    const card = await start()
    expect(card.getByText('1 of 4 done')).toBeVisible()
    expect(card.getAllByRole('listitem').map((step) => step.textContent)).toEqual([
      'Confirm your email, doneamara@example.com',
      'Protect your accountWith a passkey or an authenticator app, your password alone opens nothing.',
      'Make your first depositFrom $100: you send cryptocurrency and add a proof of payment.',
      'Choose a plan or the courseThe value of a plan can fall as well as rise. The course has one price and lifetime access.',
    ])
    expect(card.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['/profile', '/deposits', '/investments/plans'])
    for (const name of ['Available Balance', 'Total Bonus', 'Total Investments', 'Active Courses']) expect(screen.getByRole('region', { name })).toBeVisible()
  })

  it('goes on with the second factor and the deposit [R3]', async () => {
    const open = transaction({ status: 'pending' })
    server.use(
      answers('get', '/users/totp', { totp: { required: false, enrolled: false, passkeys: 1, recoveryCodesLeft: 8 }, stepUpUntil: null }),
      answers('get', '/transactions/user', { transactions: [open] }),
    )
    const { unmount } = openAsMember('/dashboard', { wallet: empty })
    const card = await start()
    expect(await card.findByText('2 of 4 done')).toBeVisible()
    expect(card.getByRole('link', { name: 'Make your first deposit' })).toHaveAttribute('href', `/transactions/${open.id}`)
    unmount()
    queryClient.clear()
    server.use(answers('get', '/transactions/user', { transactions: [{ ...open, status: 'success' }] }))
    openAsMember('/dashboard')
    expect(await (await start()).findByText('3 of 4 done')).toBeVisible()
  })

  it('ends with the first investment, and is put away for good [R3]', async () => {
    server.use(answers('get', '/transactions/user', { transactions: [transaction({ kind: 'trade', title: 'Trade', type: 'debit' })] }))
    const { unmount } = openAsMember('/dashboard')
    await screen.findByText('Trade')
    expect(screen.queryByText('Getting started')).toBeNull()
    unmount()
    queryClient.clear()
    server.use(answers('get', '/transactions/user', { transactions: [] }))
    const { user, unmount: leave } = openAsMember('/dashboard', { wallet: empty })
    await user.click((await start()).getByRole('button', { name: 'Hide' }))
    expect(screen.queryByText('Getting started')).toBeNull()
    leave()
    queryClient.clear()
    openAsMember('/dashboard', { wallet: empty })
    await screen.findByText('No recent transactions found.')
    expect(screen.queryByText('Getting started')).toBeNull()
  })
})
