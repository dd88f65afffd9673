import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it } from 'vitest'
import { ME, backOffice, deposit, openAsStaff, proposal } from '@/testing/back-office'
import { currentPath } from '@/testing/render'
import { answers, records, server } from '@/testing/server'

beforeEach(() => server.use(...backOffice()))

describe('two people', () => {
  it('are shown every proposal, page by page [D-R2] [A16]', async () => {
    const pages: Record<string, object> = {
      '': { proposals: [proposal({ id: 'trd_2', kind: 'plan.value' })], nextCursor: 'c1' },
      c1: { proposals: [proposal({ id: 'trd_1', kind: 'plan.update' })] },
    }
    server.use(
      http.get(`${window.location.origin}/v1/admin/proposals`, ({ request }) =>
        HttpResponse.json({ success: true, ...pages[new URL(request.url).searchParams.get('cursor') ?? ''] })),
    )
    const { user } = openAsStaff('/admin/proposals', 'see', 'changePlans')
    expect(await screen.findByRole('heading', { name: 'Publish a value' })).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    expect(await screen.findByRole('heading', { name: 'Change the terms of a plan' })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull()
  })

  it('are shown of no member where the operator loses money [D-T1]', async () => {
    const change = { amount_cents: 1, note: 'One unit was stolen' }
    const one = proposal({ id: 'wal_1', kind: 'loss', subjectId: '00000000-0000-0000-0000-000000000000', change, before: null, permission: 'moveTreasury' })
    server.use(answers('get', '/admin/proposals', { proposals: [one] }))
    openAsStaff('/admin/proposals', 'see')
    expect(await screen.findByRole('heading', { name: 'Loss' })).toBeVisible()
    expect(screen.queryByRole('link', { name: 'Member page' })).toBeNull()
  })

  it('cannot confirm an own proposal, and says why [D-O4] [D-R2]', async () => {
    server.use(answers('get', '/admin/proposals', { proposals: [proposal({ proposedBy: ME })] }))
    openAsStaff('/admin/proposals', 'see', 'changePlans')
    const button = await screen.findByRole('button', { name: 'Confirm' })
    expect(button).toBeDisabled()
    expect(button).toHaveAccessibleDescription(/^You proposed this/)
    expect(screen.getByRole('button', { name: 'Withdraw' })).toBeEnabled()
  })

  it('cannot confirm what would be refused, and says why [U8]', async () => {
    const blocker = { code: 'NOT_BACKED', message: 'Cash and assets of the plan lack $120.00.' }
    server.use(answers('get', '/admin/proposals', { proposals: [proposal({ blocker })] }))
    openAsStaff('/admin/proposals', 'see', 'changePlans')
    const button = await screen.findByRole('button', { name: 'Confirm' })
    expect(button).toBeDisabled()
    expect(button).toHaveAccessibleDescription('It cannot be confirmed now: Cash and assets of the plan lack $120.00.')
    expect(screen.getByRole('button', { name: 'Reject' })).toBeEnabled()
  })

  it('keep the status that they look at in the address [R9]', async () => {
    const asked: (string | null)[] = []
    server.use(http.get(`${window.location.origin}/v1/admin/proposals`, ({ request }) => {
      const status = new URL(request.url).searchParams.get('status')
      asked.push(status)
      return HttpResponse.json({ success: true, proposals: status === 'confirmed' ? [proposal({ status: 'confirmed' })] : [] })
    }))
    const { user } = openAsStaff('/admin/proposals?status=confirmed', 'see')
    expect(await screen.findByRole('heading', { name: 'Publish a value' })).toBeVisible()
    await user.click(screen.getByRole('radio', { name: 'Rejected' }))
    await waitFor(() => expect(asked).toContain('rejected'))
    expect(currentPath()).toBe('/admin/proposals?status=rejected')
    await user.click(screen.getByRole('radio', { name: 'Open' }))
    await waitFor(() => expect(currentPath()).toBe('/admin/proposals'))
  })

  it('save every list as a file [R9] [D-O3]', async () => {
    server.use(answers('get', '/admin/proposals', { proposals: [] }))
    openAsStaff('/admin/proposals', 'see')
    expect(await screen.findByRole('button', { name: 'Proposals as CSV' })).toBeEnabled()
  })

  it('shows the change, and confirms that of somebody else [D-R2] [D-R4]', async () => {
    const confirmed = records('post', '/admin/proposals/:id/confirm')
    server.use(answers('get', '/admin/proposals', { proposals: [proposal()] }), confirmed.handler)
    const { user } = openAsStaff('/admin/proposals', 'see', 'changePlans')
    expect(await screen.findByText('Time of confirmation')).toBeVisible()
    expect(screen.getByText('1.04')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Confirm' }))
    const question = await screen.findByRole('dialog', { name: 'Publish a value?' })
    expect(question).toHaveTextContent(/takes effect as soon as you confirm.*1\.04 → 1\.05/)
    expect(confirmed.seen).toHaveLength(0)
    await user.click(within(question).getByRole('button', { name: 'Confirm the proposal' }))
    await waitFor(() => expect(confirmed.seen[0]?.path).toBe('/v1/admin/proposals/trd_1/confirm'))
  })

  it('offers no verdict to another role [D-O1]', async () => {
    server.use(answers('get', '/admin/proposals', { proposals: [proposal()] }))
    openAsStaff('/admin/proposals', 'see', 'correctBalances', 'changeMethods')
    expect(await screen.findByText('Publish a value')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Confirm' })).toBeNull()
  })
})

describe('announcements', () => {
  const shown = { id: 'a-1', text: 'Rates are delayed.', at: '2026-03-05T14:07:00Z', endsAt: '2026-03-06T14:07:00Z' }

  it('are proposed, shown once another person confirmed them, and ended after a question [D-M7] [D-R2]', async () => {
    const proposed = records('post', '/admin/announcements', {}, 201)
    const ended = records('delete', '/admin/announcements/:id')
    server.use(answers('get', '/status', { withdrawals: null, chains: null, announcements: [shown] }), proposed.handler, ended.handler)
    const { user } = openAsStaff('/admin/announcements', 'see', 'announce')
    await user.click(await screen.findByRole('button', { name: 'New announcement' }))
    const dialog = within(screen.getByRole('dialog', { name: 'Announce to all members' }))
    await user.click(dialog.getByRole('button', { name: 'Propose' }))
    expect(dialog.getByText('Enter a text')).toBeVisible()
    await user.type(dialog.getByLabelText('Text'), ' We move{enter}tonight. ')
    await user.selectOptions(dialog.getByLabelText('Shown for'), '3 days')
    await user.click(dialog.getByRole('button', { name: 'Propose' }))
    await waitFor(() => expect(proposed.seen[0]?.body).toEqual({ text: 'We move tonight.', hours: 72 }))
    await user.click(screen.getByRole('button', { name: 'End: Rates are delayed.' }))
    expect(ended.seen).toHaveLength(0)
    await user.click(screen.getByRole('button', { name: 'End it now' }))
    await waitFor(() => expect(ended.seen[0]?.path).toBe('/v1/admin/announcements/a-1'))
  })

  it('wait for a second person, with their text and time [D-M7]', async () => {
    server.use(answers('get', '/admin/proposals', {
      proposals: [proposal({ id: 'mai_1', kind: 'announcement.publish', change: { text: 'We move tonight.', hours: 24 }, permission: 'announce' })],
    }))
    openAsStaff('/admin/announcements', 'see', 'announce')
    expect(await screen.findByText('Announce to all members')).toBeVisible()
    expect(screen.getByText('We move tonight.')).toBeVisible()
    expect(screen.getByText('24 hours')).toBeVisible()
    expect(await screen.findByText('Nothing is announced')).toBeVisible()
  })
})

describe('the staff', () => {
  const tess = { id: 'tess', name: 'Tess Treasurer', email: 'tess@solvane.test', role: 'treasurer', isVerified: true, isFrozen: false, createdAt: '2026-03-05T14:07:00Z' }

  it('is changed by proposals that another admin confirms [D-O5]', async () => {
    const [invited, moved] = [records('post', '/admin/staff', {}, 201), records('put', '/admin/staff/:id/role', {}, 201)]
    const ending = proposal({ id: 'aut_1', kind: 'staff.disable', subjectId: 'tess', change: { role: null }, before: tess, permission: 'changeStaff' })
    server.use(
      invited.handler,
      moved.handler,
      answers('get', '/admin/staff', { staff: [tess] }),
      answers('get', '/admin/proposals', { proposals: [ending] }),
    )
    const { user } = openAsStaff('/admin/staff', 'see', 'seeStaff', 'changeStaff')
    const open = within(await screen.findByRole('list', { name: 'Open proposals' }))
    expect(open.getByText('Disable a staff account')).toBeVisible()
    expect(open.getByText('tess@solvane.test')).toBeVisible()
    expect(open.getByRole('button', { name: 'Confirm' })).toBeEnabled()

    await user.type(screen.getByLabelText('Name'), 'Ida')
    await user.type(screen.getByLabelText('Email'), 'ida@solvane.test')
    await user.click(screen.getByRole('button', { name: 'Propose the invitation' }))
    await waitFor(() => expect(invited.seen[0]?.body).toEqual({ name: 'Ida', email: 'ida@solvane.test', role: 'reviewer' }))

    await user.click(screen.getByRole('button', { name: 'Propose a new role for Tess Treasurer' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByRole('button', { name: 'Propose' })).toBeDisabled()
    await user.click(dialog.getByRole('radio', { name: /Auditor/ }))
    await user.click(dialog.getByRole('button', { name: 'Propose' }))
    await waitFor(() => expect(moved.seen[0]?.body).toEqual({ role: 'auditor' }))
  })

  it('who are new are told from when on they decide [D-O5]', async () => {
    server.use(answers('get', '/admin/me', {
      user: { id: ME, name: 'Rae', email: 'rae@solvane.test', role: 'reviewer' },
      totp: { required: true, enrolled: true, passkeys: 0, recoveryCodesLeft: 10 },
      stepUpUntil: null, decidesFrom: '2026-03-06T14:07:00Z', permissions: ['see', 'decide'],
    }))
    const claimed = records('put', '/admin/transactions/:id/claim')
    server.use(claimed.handler)
    const { user } = openAsStaff(`/admin/review/${deposit.id}`)
    expect(await screen.findByText(/^Your role is new: you can read everything/)).toBeVisible()
    expect(await screen.findByText(/^Your role is new: you can decide this from March 6, 2026/)).toBeVisible()
    await user.keyboard('ac')
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull()
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
    expect(claimed.seen).toHaveLength(0)
  })
})
