import { act, screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { http, HttpResponse } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sendWaiting } from '@/features/admin/undo'
import { api } from '@/lib/api-client'
import { queryClient } from '@/lib/query-client'
import { useSession } from '@/lib/session'
import { base } from '@/testing/back-office'
import { openAsMember } from '@/testing/render'
import { transaction } from '@/testing/samples'
import { answers, emptyBackOffice, member, records, refuses, server } from '@/testing/server'

const hold = {
  id: 'hold-1', amount: 25, reasonCode: 'DISPUTE', reason: 'A payment to your account is disputed.', createdAt: '2026-03-05T14:07:00Z', placedBy: 'another',
}

const page = (holds: object[] = []) =>
  answers('get', '/admin/members/:id', {
    member: { ...member, wallet: { balance: 400, bonus: 0, held: 0, invested: 0, holds } },
    sessions: [], notes: [], entries: [], secondFactor: { enrolled: false, removedAt: null },
  })

function openMember() {
  return openAsMember(`/admin/members/${member.id}`, { role: 'reviewer', wallet: null })
}

const reviewer = (stepUpUntil: string | null, passkeys = 0) =>
  answers('get', '/admin/me', {
    user: { id: 'me', name: 'Rae', email: 'rae@solvane.test', role: 'reviewer' },
    totp: { required: true, enrolled: true, passkeys, recoveryCodesLeft: 10 },
    stepUpUntil,
    permissions: ['see', 'decide', 'writeNotes', 'placeHold', 'releaseHold'],
  })

const fresh = () => new Date(Date.now() + 240_000).toISOString()

beforeEach(() => {
  server.use(
    reviewer(fresh()),
    answers('get', '/admin/queue', { queue: [], times: { deposit: null, fee: null, withdrawal: null, payout: null } }),
    answers('get', '/admin/transactions', { transactions: [] }),
    ...emptyBackOffice(),
    page(),
  )
})

afterEach(() => act(() => sendWaiting()))

const leave = () => act(() => void window.dispatchEvent(new Event('pagehide')))

async function placeHold(user: UserEvent, amount: string) {
  const form = await screen.findByRole('form', { name: 'Place a hold' })
  await user.type(within(form).getByLabelText('Amount to hold'), amount)
  await user.click(within(form).getByRole('button', { name: 'Hold' }))
}

describe('an act of staff that leaves the platform nowhere', () => {
  it('is shown at once, and undone by a button that gives back what was entered [R9]', async () => {
    const placed = records('post', '/admin/members/:id/holds', {}, 201)
    server.use(placed.handler)
    const { user } = openMember()
    await placeHold(user, '25')
    expect(screen.getByText('Placed by you, just now')).toBeVisible()
    expect(screen.getByRole('status', { name: '' })).toHaveTextContent('$25.00 held')
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(screen.queryByText('Placed by you, just now')).toBeNull()
    expect(screen.getByLabelText('Amount to hold')).toHaveValue('25.00')
    leave()
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull())
    expect(placed.seen).toHaveLength(0)
  })

  it('is sent after five seconds, with a key, and undone by no shortcut then [R9]', async () => {
    const placed = records('post', '/admin/members/:id/holds', {}, 201)
    server.use(placed.handler)
    const { user } = openMember()
    await screen.findByRole('form', { name: 'Place a hold' })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    try {
      await placeHold(user, '30')
      act(() => void vi.advanceTimersByTime(4_000))
      expect(placed.seen).toHaveLength(0)
      act(() => void vi.advanceTimersByTime(1_500))
      await waitFor(() => expect(placed.seen).toHaveLength(1))
    } finally {
      vi.useRealTimers()
    }
    expect(placed.seen[0]?.body).toEqual({ amount: 30, reasonCode: 'COMPLIANCE' })
    expect(placed.seen[0]?.headers.get('Idempotency-Key')).toBeTruthy()
    await user.keyboard('{Control>}z{/Control}')
    expect(placed.seen).toHaveLength(1)
  })

  it('is sent when the page is left or the next act begins, and undone by Ctrl Z before [R9]', async () => {
    const added = records('post', '/admin/members/:id/notes', {}, 201)
    const released = records('post', '/admin/members/:id/holds/:hold/release')
    server.use(page([hold]), added.handler, released.handler)
    const { user } = openMember()
    await user.click(await screen.findByRole('button', { name: 'Add a note' }))
    await user.type(screen.getByLabelText('Note'), 'Called by phone')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('Called by phone')).toBeVisible()
    await user.keyboard('{Control>}z{/Control}')
    expect(screen.queryByText('Called by phone')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Add a note' }))
    expect(screen.getByLabelText('Note')).toHaveValue('Called by phone')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(added.seen).toHaveLength(0)

    await user.click(screen.getByRole('button', { name: 'Release' }))
    expect(screen.queryByText(/is disputed/)).toBeNull()
    await waitFor(() => expect(added.seen[0]?.body).toEqual({ note: 'Called by phone' }))
    expect(released.seen).toHaveLength(0)
    const post = vi.spyOn(api, 'post').mockResolvedValue({ success: true })
    leave()
    // A request that outlives the page.
    await waitFor(() => expect(post).toHaveBeenCalledWith(expect.stringMatching(/hold-1\/release$/), undefined, expect.objectContaining({ keepalive: true })))
    post.mockRestore()
  })

  it('that is refused stands in the form again, and more than there is is not sent [U8]', async () => {
    server.use(refuses('post', '/admin/members/:id/holds', 409, { message: 'The member has withdrawn meanwhile' }))
    const { user } = openMember()
    await placeHold(user, '401')
    expect(screen.getByText('Insufficient balance: $400.00 can be held')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
    await user.clear(screen.getByLabelText('Amount to hold'))
    await placeHold(user, '40')
    await act(() => sendWaiting())
    expect(await screen.findByText('The member has withdrawn meanwhile')).toBeVisible()
    expect(screen.getByLabelText('Amount to hold')).toHaveValue('40.00')
  })

  it('is a claim, too: the queue shows it at once [R9]', async () => {
    const waits = { ...transaction({ id: 'waits', status: 'pending', amount: 250 }), memberId: 'member-1' }
    const verdict = { transactionId: 'waits', revision: 1, checks: 2, concerns: 0, chainState: '', blockers: [] }
    const claimed = records('put', '/admin/transactions/:id/claim')
    server.use(
      answers('get', '/admin/queue/transactions', { transactions: [waits] }),
      answers('get', '/admin/queue/verdicts', { verdicts: [verdict], complete: true }),
      claimed.handler,
    )
    const { user } = openAsMember('/admin', { role: 'reviewer', wallet: null })
    await screen.findByText('Checks pass')
    await user.keyboard('jc')
    expect(await screen.findByText('Claimed by you')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(screen.queryByText('Claimed by you')).toBeNull()
    await user.keyboard('c')
    await act(() => sendWaiting())
    expect(claimed.seen).toHaveLength(1)
  })

  it('is no claim of what a colleague has: it says who has it, and sends nothing where that is known [R9]', async () => {
    const one = (id: string) => ({ ...transaction({ id, status: 'pending', amount: 250, reference: `TNX-${id}` }), memberId: 'member-1' })
    const verdict = (transactionId: string, more: object = {}) => ({ transactionId, revision: 1, checks: 2, concerns: 0, chainState: '', blockers: [], ...more })
    const tess = { claimedBy: 'tess', claimedByName: 'Tess Treasurer' }
    let quicker = {}
    const sent: string[] = []
    server.use(
      answers('get', '/admin/queue/transactions', { transactions: [one('taken'), one('raced')] }),
      http.get(`${base}/admin/queue/verdicts`, () => HttpResponse.json({ success: true, complete: true, verdicts: [verdict('taken', tess), verdict('raced', quicker)] })),
      http.put(`${base}/admin/transactions/:id/claim`, ({ params }) => {
        sent.push(String(params['id']))
        quicker = tess
        return HttpResponse.json({ success: true, message: '', claimedBy: 'tess' })
      }),
    )
    const { user } = openAsMember('/admin', { role: 'reviewer', wallet: null })
    await screen.findByText('Claimed by Tess Treasurer')
    await user.keyboard('jc')
    expect(await screen.findByText('TNX-taken is claimed by Tess Treasurer')).toBeVisible()
    expect(screen.queryByText('TNX-taken claimed')).toBeNull()
    await user.keyboard('jc')
    expect(await screen.findByText('TNX-raced claimed')).toBeVisible()
    await act(() => sendWaiting())
    expect(await screen.findByText('TNX-raced is claimed by Tess Treasurer')).toBeVisible()
    expect(sent).toEqual(['raced'])
    await waitFor(() => expect(screen.getAllByText('Claimed by Tess Treasurer')).toHaveLength(2))
  })

  it('takes the second factor before it is shown as done, and does not begin without it [D-O7]', async () => {
    const placed = records('post', '/admin/members/:id/holds', {}, 201)
    server.use(
      reviewer(null),
      placed.handler,
      answers('get', '/users/totp', { totp: { required: true, enrolled: true, passkeys: 0, recoveryCodesLeft: 10 }, stepUpUntil: null }),
      answers('post', '/auth/step-up', { until: fresh() }),
    )
    const { user } = openMember()
    await placeHold(user, '25')
    await user.click(within(await screen.findByRole('dialog', { name: 'Confirm it is you' })).getByRole('button', { name: 'Cancel' }))
    expect(await screen.findByText('Nothing was changed because you did not confirm.')).toBeVisible()
    expect(screen.getByLabelText('Amount to hold')).toHaveValue('25')
    expect(screen.queryByText('Placed by you, just now')).toBeNull()

    await user.click(screen.getByRole('button', { name: 'Hold' }))
    await user.type(await screen.findByLabelText('Authenticator code'), '123456')
    expect(screen.queryByText('Placed by you, just now')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Confirm' }))
    expect(await screen.findByText('Placed by you, just now')).toBeVisible()
    await act(() => sendWaiting())
    expect(placed.seen).toHaveLength(1)
  })

  it('keeps the page for the signature of a passkey, and only then [D-B3]', async () => {
    const placed = records('post', '/admin/members/:id/holds', {}, 201)
    let isKept = false
    const reload = () => act(() => void (isKept = !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))))
    server.use(placed.handler)
    const { user, unmount } = openMember()
    await placeHold(user, '25')
    reload()
    expect(isKept).toBe(false)
    expect(placed.seen).toHaveLength(0)
    await act(() => sendWaiting())
    unmount()
    queryClient.clear()

    server.use(reviewer(fresh(), 1))
    await placeHold(openMember().user, '30')
    reload()
    expect(isKept).toBe(true)
    await waitFor(() => expect(placed.seen).toHaveLength(2))
  })

  it('goes with the session of whoever began it [D-S11]', async () => {
    const placed = records('post', '/admin/members/:id/holds', {}, 201)
    server.use(placed.handler)
    const { user } = openMember()
    await placeHold(user, '25')
    act(() => void useSession.setState({ user: null, token: null }))
    expect(await screen.findByText('Not saved: $25.00 held')).toBeVisible()
    leave()
    expect(placed.seen).toHaveLength(0)
  })
})
