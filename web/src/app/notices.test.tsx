import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { describe, expect, it } from 'vitest'
import type { Notice } from '@/lib/api-types'
import { formatDay } from '@/lib/dates'
import { currentPath, openAsMember, toastTexts } from '@/testing/render'
import { answers, holds, records, refuses, server } from '@/testing/server'

const notice = (id: string, changes: Partial<Notice> = {}): Notice => ({
  id, kind: 'deposit_confirmed', group: 'money', at: new Date().toISOString(), readAt: null, transactionId: 't-1', amount: 250, ...changes,
})
const signIn = notice('n-2', {
  kind: 'new_sign_in', group: 'security', at: '2026-03-05T14:07:00Z', device: 'Firefox on Linux', addressBlock: '203.0.113.0/24',
})
const read = notice('n-1', { kind: 'trade_matured', group: 'plans', plan: 'Starter', amount: 104, at: '2026-03-05T14:06:00Z', readAt: '2026-03-06T09:00:00Z' })

/** The stream of events, and what sends one. */
function stream() {
  let send: (event: string) => void = () => undefined
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      send = (event) => controller.enqueue(new TextEncoder().encode(`event: change\ndata: ${event}\n\n`))
    },
  })
  server.use(http.get('*/v1/events', () => new HttpResponse(body, { headers: { 'Content-Type': 'text/event-stream' } })))
  return (event: string) => send(event)
}

const bell = (name: string) => screen.findByRole('link', { name })

describe('the bell', () => {
  it('says how many notices are unread and leads to them [D-M7]', async () => {
    server.use(answers('get', '/notices', { notices: [notice('n-3'), signIn, read], unread: 2 }))
    const { user } = openAsMember('/dashboard')
    await user.click(await bell('Notices, 2 unread'))
    expect(currentPath()).toBe('/notices')
    expect(await screen.findByRole('heading', { name: 'Notices', level: 1 })).toBeVisible()
  })

  it('counts no further than the server does, and says nothing of none [D-M7]', async () => {
    server.use(answers('get', '/notices', { notices: [notice('n-3')], unread: 100 }))
    const { unmount } = openAsMember('/profile')
    expect(await bell('Notices, 99+ unread')).toHaveTextContent('99+')
    unmount()
    server.use(answers('get', '/notices', { notices: [], unread: 0 }))
    openAsMember('/profile')
    expect(await bell('Notices')).toBeVisible()
  })

  it('shows a notice once when it arrives, and counts it [D-M7]', async () => {
    const send = stream()
    server.use(answers('get', '/notices', { notices: [signIn, read], unread: 1 }))
    openAsMember('/profile')
    await bell('Notices, 1 unread')
    expect(toastTexts()).toEqual([])
    server.use(answers('get', '/notices', { notices: [notice('n-3'), signIn, read], unread: 2 }))
    send('mailer.v1.notice_added')
    expect(await screen.findByText('$250.00 was added to your balance')).toBeVisible()
    expect(await bell('Notices, 2 unread')).toBeVisible()
    // The same again, with one that its own screen has shown already.
    const own = notice('n-4', { kind: 'trade_closed', group: 'plans', plan: 'Starter' })
    server.use(answers('get', '/notices', { notices: [own, notice('n-3'), signIn, read], unread: 3 }))
    send('mailer.v1.notice_added')
    expect(await bell('Notices, 3 unread')).toBeVisible()
    expect(toastTexts()).toEqual(['$250.00 was added to your balance'])
  })

  it('asks for no money when only a notice is added, and for no notice when only money moves [D-M7]', async () => {
    const send = stream()
    const notices = records('get', '/notices', { notices: [], unread: 0 })
    const trades = records('get', '/trades', { trades: [] })
    server.use(notices.handler, trades.handler)
    openAsMember('/dashboard')
    await screen.findByText('No recent transactions found.')
    await waitFor(() => expect([notices.seen.length, trades.seen.length]).toEqual([1, 1]))
    send('mailer.v1.notice_added')
    await waitFor(() => expect(notices.seen).toHaveLength(2))
    expect(trades.seen).toHaveLength(1)
    send('trade.v1.trade_claimed')
    await waitFor(() => expect(trades.seen).toHaveLength(2))
    expect(notices.seen).toHaveLength(2)
  })
})

describe('the notices', () => {
  it('stand under their days, the newest first, each with what it is about [D-M7]', async () => {
    server.use(answers('get', '/notices', { notices: [notice('n-3'), signIn, read], unread: 2 }))
    openAsMember('/notices')
    const today = within(await screen.findByRole('region', { name: 'Today' }))
    expect(today.getByRole('link', { name: /\$250\.00 was added to your balance.*Unread/ })).toHaveAttribute('href', '/transactions/t-1')
    const earlier = within(screen.getByRole('region', { name: formatDay(signIn.at) }))
    const rows = earlier.getAllByRole('listitem').map((row) => row.textContent)
    expect(rows[0]).toMatch(/^Login from a new deviceFirefox on Linux · 203\.0\.113\.0\/24.*Unread$/)
    expect(rows[1]).toMatch(/^Starter has matured\$104\.00 can be claimed\./)
    expect(rows[1]).not.toMatch(/Unread/)
  })

  it('are marked as read when one is opened, or all up to the newest [D-M7]', async () => {
    const marks = records('put', '/notices/read', { unread: 1 })
    server.use(answers('get', '/notices', { notices: [notice('n-3'), signIn, read], unread: 2 }), marks.handler)
    const { user } = openAsMember('/notices')
    await user.click(await screen.findByRole('link', { name: /Login from a new device/ }))
    expect(currentPath()).toBe('/profile/activity')
    await waitFor(() => expect(marks.seen.map(({ body }) => body)).toEqual([{ id: 'n-2' }]))
    await user.click(await bell('Notices, 2 unread'))
    server.use(answers('get', '/notices', { notices: [read], unread: 0 }))
    await user.click(await screen.findByRole('button', { name: 'Mark all as read' }))
    await waitFor(() => expect(marks.seen.at(-1)?.body).toEqual({ upTo: 'n-3' }))
    await waitFor(() => expect(screen.getByRole('button', { name: 'Mark all as read' })).toBeDisabled())
    expect(await bell('Notices')).toBeVisible()
  })

  it('are filtered by the server, and the choice stands in the address [D-M7]', async () => {
    const asked: string[] = []
    server.use(
      http.get('*/v1/notices', ({ request }) => {
        const group = new URL(request.url).searchParams.get('group')
        if (group) asked.push(group)
        return HttpResponse.json({ success: true, notices: group === 'plans' ? [] : [signIn], unread: 1 })
      }),
    )
    const { user } = openAsMember('/notices')
    await user.click(await screen.findByRole('radio', { name: 'Plans' }))
    expect(await screen.findByText('No notices of this kind')).toBeVisible()
    expect([currentPath(), asked]).toEqual(['/notices?group=plans', ['plans']])
    await user.click(screen.getByRole('button', { name: 'Show all notices' }))
    expect(await screen.findByText('Login from a new device')).toBeVisible()
    expect(currentPath()).toBe('/notices')
  })

  it('are awaited, missing, or cannot be loaded [D-L5]', async () => {
    const { asked, handler } = holds('get', '/notices')
    server.use(handler)
    const { unmount } = openAsMember('/notices')
    expect(await screen.findByText('Loading the notices')).toBeInTheDocument()
    await asked
    unmount()
    server.use(answers('get', '/notices', { notices: [], unread: 0 }))
    const empty = openAsMember('/notices')
    expect(await screen.findByText('No notices yet')).toBeVisible()
    empty.unmount()
  })

  it('say why they cannot be loaded, in place alone, and are asked for again [D-L5]', async () => {
    server.use(refuses('get', '/notices', 403, { message: 'Not now' }))
    const { user } = openAsMember('/notices')
    expect(await screen.findByText('Not now')).toBeVisible()
    expect(toastTexts()).toEqual([])
    server.use(answers('get', '/notices', { notices: [signIn], unread: 1 }))
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    expect(await screen.findByText('Login from a new device')).toBeVisible()
  })
})

it('shows what staff did in a case, with the way to it [D-M7] [D-M8]', async () => {
  const answered = notice('n-4', { kind: 'case_answered', group: 'cases', caseId: 'c-1', caseNumber: 4711, transactionId: undefined, amount: undefined })
  const waits = notice('n-5', { kind: 'payout_delayed', group: 'plans', plan: 'Starter', amount: 104 })
  server.use(answers('get', '/notices', { notices: [waits, answered], unread: 2 }))
  openAsMember('/notices')
  expect(await screen.findByRole('link', { name: /We answered in case 4711/ })).toHaveAttribute('href', '/cases/c-1')
  expect(screen.getByRole('link', { name: /\$104\.00 from Starter waits for the cash of its plan/ })).toHaveAttribute('href', '/investments')
})

it('lets a member choose which emails they get, never those about security [D-M7]', async () => {
  const push = { money: true, plans: true, courses: true, cases: true }
  const saved = records('put', '/notices/preferences', { mail: { money: true, plans: false, courses: true, cases: true }, push })
  server.use(saved.handler)
  const { user } = openAsMember('/profile')
  const group = within(await screen.findByRole('group', { name: 'Emails that you want' }))
  expect(group.getAllByRole('checkbox')).toHaveLength(4)
  expect(group.queryByRole('checkbox', { name: /security/i })).toBeNull()
  await user.click(group.getByRole('checkbox', { name: /Plans/ }))
  await waitFor(() => expect(saved.seen[0]?.body).toEqual({ mail: { money: true, plans: false, courses: true, cases: true }, push }))
  await waitFor(() => expect(group.getByRole('checkbox', { name: /Plans/ })).not.toBeChecked())
  expect(toastTexts()).toEqual(['Done'])
})

describe('announcements', () => {
  const move = { id: 'a-1', text: 'We move to new servers tonight.', at: '2026-03-05T14:07:00Z', endsAt: '2026-03-06T14:07:00Z' }
  const rates = { ...move, id: 'a-2', text: 'Rates are delayed.' }
  const banner = () => screen.findByRole('region', { name: 'Announcements' })

  it('stand on every page until they are put away in this browser, and stay once among the notices [D-M7]', async () => {
    server.use(answers('get', '/notices', { notices: [], announcements: [move, rates], unread: 0 }))
    const { user, unmount } = openAsMember('/profile')
    expect(within(await banner()).getByText(move.text)).toBeVisible()
    await user.click(screen.getByRole('button', { name: `Dismiss: ${move.text}` }))
    expect(within(await banner()).queryByText(move.text)).toBeNull()
    expect(within(await banner()).getByText(rates.text)).toBeVisible()
    unmount()
    openAsMember('/notices')
    expect(await screen.findByRole('heading', { name: 'To all members' })).toBeVisible()
    expect(screen.getByText(rates.text)).toBeVisible()
    expect(screen.getByText(move.text)).toBeVisible()
    expect(screen.queryByRole('region', { name: 'Announcements' })).toBeNull()
    localStorage.clear()
  })

  it('take no room while there are none [D-M7]', async () => {
    openAsMember('/notices')
    expect(await screen.findByText('No notices yet')).toBeVisible()
    expect(screen.queryByRole('region', { name: 'Announcements' })).toBeNull()
    expect(screen.queryByRole('heading', { name: 'To all members' })).toBeNull()
  })
})
