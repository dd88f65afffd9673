import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { adminPaths } from '@/features/admin/paths'
import { ME, backOffice, base, deposit, openAsStaff } from '@/testing/back-office'
import { answers, member, refuses, server } from '@/testing/server'

beforeEach(() => server.use(...backOffice()))

describe('the audit log', () => {
  const row = (changes: object = {}) => ({
    id: 1, at: '2026-03-05T14:07:00Z', actorId: ME, actorRole: 'reviewer', action: 'deposit.approve', subjectId: deposit.id,
    address: '203.0.113.7', hash: 'abc', ...changes,
  })

  /** Answers rows, or a file, and keeps what was asked for. */
  function trail(rows: object[] = [row()]) {
    const asked: Record<string, string>[] = []
    const handler = http.get(`${base}/admin/audit`, ({ request }) => {
      const query = Object.fromEntries(new URL(request.url).searchParams)
      asked.push(query)
      return query.format === 'csv'
        ? HttpResponse.text('id,at\r\n1,2026-03-05\r\n', { headers: { 'Content-Type': 'text/csv' } })
        : HttpResponse.json({ success: true, rows })
    })
    server.use(handler)
    return asked
  }

  it('names the services that did not answer [D-O3]', async () => {
    server.use(answers('get', '/admin/audit', { rows: [row()], missing: ['mailer', 'unheard-of'] }))
    openAsStaff('/admin/audit', 'see', 'seeStaff', 'seeAudit')
    expect(await screen.findByText('Not answered in time: Mail, unheard-of. Their entries are not shown.')).toBeVisible()
    expect(screen.getByText(/approved the deposit/)).toBeVisible()
  })

  it('is filtered by the server, by what the address states [D-O3]', async () => {
    const asked = trail()
    const { user } = openAsStaff('/admin/audit', 'see', 'seeStaff', 'seeAudit')
    expect(await screen.findByText(/approved the deposit/)).toBeVisible()
    expect(asked).toEqual([{ service: 'all' }])
    await user.selectOptions(screen.getByLabelText('Action'), 'Froze the account of')
    await user.type(screen.getByLabelText('From (UTC)'), '2026-01-01')
    await user.type(screen.getByLabelText('To (UTC)'), '2026-01-31')
    await user.click(screen.getByRole('radio', { name: 'Mail' }))
    const wanted = { service: 'mailer', action: 'member.freeze', from: '2026-01-01', to: '2026-01-31' }
    await waitFor(() => expect(asked.at(-1)).toEqual(wanted))
    expect(Object.fromEntries(new URLSearchParams(window.location.search))).toEqual(wanted)

    await user.selectOptions(screen.getByLabelText('Action'), 'Any action')
    await waitFor(() => expect(asked.at(-1)).toEqual({ service: 'mailer', from: '2026-01-01', to: '2026-01-31' }))
  })

  it('is filtered by who did it, where the names of staff may be read [D-O3] [D-O1]', async () => {
    const asked = trail()
    server.use(answers('get', '/admin/staff', { staff: [{ ...member, id: 'treasurer-1', name: 'Tess Treasurer', role: 'treasurer' }] }))
    const { user, unmount } = openAsStaff('/admin/audit', 'see', 'seeStaff', 'seeAudit')
    await screen.findByRole('option', { name: 'Tess Treasurer' })
    await user.selectOptions(screen.getByLabelText('Actor'), 'Tess Treasurer')
    await waitFor(() => expect(asked.at(-1)).toEqual({ service: 'all', actor: 'treasurer-1' }))
    await user.selectOptions(screen.getByLabelText('Actor'), 'Anyone')
    await waitFor(() => expect(asked.at(-1)).toEqual({ service: 'all' }))
    unmount()

    openAsStaff('/admin/audit?actor=gone-since-1234', 'see', 'seeAudit', 'seeStaff')
    expect(await screen.findByLabelText('Actor')).toHaveDisplayValue('colleague 1234')
    await waitFor(() => expect(asked.at(-1)).toEqual({ service: 'all', actor: 'gone-since-1234' }))
  })

  it('is filtered by a member, who is found by name and named from then on [D-O3] [U12]', async () => {
    const asked = trail()
    server.use(answers('get', '/admin/members', { members: [{ ...member, id: 'other', name: 'Ada Byron', email: 'ada@example.com' }, member] }))
    const { user } = openAsStaff('/admin/audit', 'see', 'seeAudit')
    const field = await screen.findByRole('combobox', { name: 'Member' })
    await user.type(field, member.name.slice(0, 4))
    expect(await screen.findByRole('option', { name: new RegExp(member.email) })).toBeVisible()
    await user.keyboard('{ArrowDown}{Enter}')
    await waitFor(() => expect(asked.at(-1)).toEqual({ service: 'all', member: member.id }))
    const chosen = screen.getByRole('group', { name: 'Member' })
    expect(await within(chosen).findByRole('link', { name: member.name })).toHaveAttribute('href', `/admin/members/${member.id}`)
    await user.click(within(chosen).getByRole('button', { name: 'Any member' }))
    await waitFor(() => expect(asked.at(-1)).toEqual({ service: 'all' }))
    expect(screen.getByRole('combobox', { name: 'Member' })).toHaveValue('')
  })

  it('offers no names where those of staff may not be read [D-O1]', async () => {
    trail()
    openAsStaff('/admin/audit', 'see', 'seeAudit')
    expect(await screen.findByText(/approved the deposit/)).toBeVisible()
    expect(screen.queryByLabelText('Actor')).toBeNull()
  })

  it('is offered as a file of the same rows [D-O3]', async () => {
    const asked = trail()
    const files: Blob[] = []
    const names: string[] = []
    Object.assign(URL, { createObjectURL: (file: Blob) => `blob:${files.push(file)}`, revokeObjectURL: () => undefined })
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      names.push(this.download)
    })
    const { user } = openAsStaff('/admin/audit?service=auth&action=member.&from=2026-01-01&to=2026-01-31', 'see', 'seeStaff', 'seeAudit')
    await user.click(await screen.findByRole('button', { name: 'CSV' }))
    await waitFor(() => expect(names).toEqual(['solvane-audit-auth.csv']))
    expect(asked.at(-1)).toEqual({ service: 'auth', action: 'member.', from: '2026-01-01', to: '2026-01-31', format: 'csv' })
    expect(await files[0]?.text()).toContain('1,2026-03-05')
  })

  it('names the service for what it did by itself, and nobody else [D-O3]', async () => {
    trail([
      row({ id: 2, actorId: '00000000-0000-0000-0000-000000000000', actorRole: 'system', action: 'withdrawals.stop', address: '' }),
      row({ actorId: '00000000-0000-0000-0000-000000000000', actorRole: 'admin', action: 'staff.add' }),
    ])
    openAsStaff('/admin/audit', 'see', 'seeStaff', 'seeAudit')
    expect((await screen.findByText(/paused all withdrawals/)).closest('tr')).toHaveTextContent('The system')
    expect(screen.getByText(/added a staff account/).closest('tr')).toHaveTextContent('the command line')
  })

  it('says what each row is about in words, with the way there, and never by a piece of an id [U12] [D-O3]', async () => {
    trail([
      row({ id: 5, action: 'withdrawal.cancel', actorRole: 'system', memberId: member.id }),
      row({ id: 4, action: 'bonus.confirm', subjectId: 'b7e1c0de-proposal', memberId: member.id }),
      row({ id: 3, action: 'liabilities.publish', subjectId: 'liabilities' }),
      row({ id: 2, action: 'member.freeze', subjectId: member.id }),
      row({ action: 'course.publish', subjectId: '7' }),
    ])
    openAsStaff('/admin/audit', 'see', 'seeAudit')
    const sentence = async (words: RegExp) => (await screen.findByText(words)).textContent
    expect(await sentence(/cancelled the withdrawal/)).toBe(`The system cancelled the withdrawal TNX-${deposit.id.slice(0, 6)} of a member`)
    expect(await sentence(/confirmed: Grant a bonus/)).toBe('you confirmed: Grant a bonus in a proposal for a member')
    expect(await sentence(/published the proof/)).toBe('you published the proof of liabilities ')
    expect(await sentence(/^froze the account of/)).toBe('you froze the account of a member')
    expect(await sentence(/published a version/)).toBe('you published a version of the course (version 7)')
    expect(screen.getByRole('link', { name: `TNX-${deposit.id.slice(0, 6)}` })).toHaveAttribute('href', adminPaths.review(deposit.id))
    expect(screen.getByRole('link', { name: 'in a proposal' })).toHaveAttribute('href', adminPaths.proposals)
  })

  it('says what the server refuses, and that nothing matches [D-L5]', async () => {
    server.use(refuses('get', '/admin/audit', 422, { message: 'Check the days', errors: { from: 'Enter a date like 2026-01-31' } }))
    const { unmount } = openAsStaff('/admin/audit?from=then', 'see', 'seeStaff', 'seeAudit')
    expect(await screen.findByRole('alert')).toHaveTextContent('Check the days')
    unmount()
    trail([])
    openAsStaff('/admin/audit?action=nothing', 'see', 'seeStaff', 'seeAudit')
    expect(await screen.findByText('No matching entries')).toBeVisible()
  })
})
