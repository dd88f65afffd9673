import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { backOffice, openAsStaff } from '@/testing/back-office'
import { answers, member, records, server } from '@/testing/server'

beforeEach(() => server.use(...backOffice()))

describe('a member who lost the second factor', () => {
  const page = (secondFactor: object) =>
    answers('get', '/admin/members/:id', { member, sessions: [], notes: [], entries: [], secondFactor })

  it('has it removed by a proposal, with how the identity was checked [D-A3]', async () => {
    const proposed = records('post', '/admin/members/:id/factor-reset', {}, 201)
    server.use(page({ enrolled: true, removedAt: null }), answers('get', '/admin/transactions', { transactions: [] }), proposed.handler)
    const { user } = openAsStaff(`/admin/members/${member.id}?tab=security`, 'see', 'resetFactors')
    await user.click(await screen.findByRole('button', { name: 'Propose to remove' }))
    const dialog = screen.getByRole('dialog', { name: /^Remove the second factor/ })
    await user.type(within(dialog).getByLabelText('How you verified their identity'), 'Passport seen')
    await user.click(within(dialog).getByRole('button', { name: 'Propose' }))
    await waitFor(() => expect(proposed.seen[0]?.body).toEqual({ note: 'Passport seen' }))
  })

  it('is shown with the day of the removal, and nothing more to do [D-A3]', async () => {
    server.use(page({ enrolled: true, removedAt: '2026-03-08T14:07:00Z' }), answers('get', '/admin/transactions', { transactions: [] }))
    openAsStaff(`/admin/members/${member.id}?tab=security`, 'see', 'resetFactors')
    expect(await screen.findByText(/^It is removed on Mar 8.*, unless the member uses it before then/)).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Propose to remove' })).toBeNull()
  })
})

describe('the activity of a member', () => {
  const session = { id: 's1', current: false, device: 'Firefox on Linux', address: '203.0.113.7', lastSeenAt: '2026-03-05T14:07:00Z' }
  const page = [
    answers('get', '/admin/members/:id', { member, sessions: [session], notes: [], entries: [] }),
    answers('get', '/admin/members/:id/activity', { events: [{ at: '2026-03-05T14:07:00Z', kind: 'password', refused: true }] }),
    answers('get', '/admin/transactions', { transactions: [] }),
  ]

  it('is shown, and all their sessions are ended [D-A7]', async () => {
    const ended = records('delete', '/admin/members/:id/sessions')
    server.use(ended.handler, ...page)
    const { user } = openAsStaff(`/admin/members/${member.id}?tab=security`, 'see', 'freeze')
    expect(await screen.findByText('Wrong password')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'End all sessions' }))
    await waitFor(() => expect(ended.seen).toHaveLength(1))
  })

  it('leaves sessions alone without the permission [D-A7]', async () => {
    server.use(...page)
    openAsStaff(`/admin/members/${member.id}?tab=security`, 'see')
    expect(await screen.findByText('Wrong password')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'End all sessions' })).toBeNull()
  })
})
