import { act, screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { queryClient } from '@/lib/query-client'
import { useSession } from '@/lib/session'
import { backOffice, base, deposit, me, openAsStaff } from '@/testing/back-office'
import { openAsMember, currentPath } from '@/testing/render'
import { answers, member, records, refuses, server } from '@/testing/server'

const totp = (state: object = {}) =>
  answers('get', '/users/totp', { totp: { required: true, enrolled: true, passkeys: 0, recoveryCodesLeft: 10, ...state }, stepUpUntil: null })

beforeEach(() => server.use(...backOffice()))

describe('who enters', () => {
  it('shows a member nothing at this address, and staff no member page [D-O1] [D-O2]', async () => {
    openAsMember('/admin')
    expect(await screen.findByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible()
  })

  it('sends staff from member pages to the queue [D-O1]', async () => {
    openAsStaff('/dashboard')
    expect(await screen.findByRole('heading', { level: 1, name: 'Queue' })).toBeVisible()
    expect(currentPath()).toBe('/admin')
  })

  it('offers what the server permits, whatever the role, and ignores what it does not know [D-O1]', async () => {
    openAsStaff('/admin', 'see', 'seeAudit', 'paintTheHouse')
    expect(await screen.findByRole('link', { name: 'Platform methods' })).toBeVisible()
    expect(screen.getByRole('link', { name: 'Audit log' })).toBeVisible()
    expect(screen.queryByRole('link', { name: 'Staff' })).toBeNull()
  })

  it.each(['/admin/audit', '/admin/staff', '/admin/plans/new', '/admin/announcements'])('says at %s that the role does not include it, asks nothing and offers no Retry [D-O1] [D-L5]', async (path) => {
    const asked: string[] = []
    const keep = ({ request }: { request: Request }) => (asked.push(new URL(request.url).pathname), HttpResponse.json({ success: true, rows: [], staff: [] }))
    server.use(http.get(`${base}/admin/audit`, keep), http.get(`${base}/admin/staff`, keep))
    openAsStaff(path)
    expect(await screen.findByText('You don’t have access to this')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull()
    expect(asked).toEqual([])
  })

  it('offers no Retry where the server refuses the role, and one where it fails [D-L5]', async () => {
    server.use(refuses('get', '/admin/members', 403, { message: 'Not for you', code: 'PERMISSION_DENIED' }))
    const { unmount } = openAsStaff('/admin/members')
    expect(await screen.findByText('You don’t have access to this')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull()
    unmount()
    queryClient.clear()
    server.use(refuses('get', '/admin/members', 422, { message: 'Not now' }))
    openAsStaff('/admin/members')
    expect(await screen.findByRole('button', { name: 'Retry' })).toBeVisible()
  })

  it('lists members with what they have, and says so where that is not known [R9] [D-S2]', async () => {
    const wallet = { balance: 1250, held: 0, onHold: 40, bonus: 0, invested: 500, owed: 7 }
    const unknown = { ...member, id: 'other', name: 'Ada Byron', wallet: null }
    server.use(answers('get', '/admin/members', { members: [{ ...member, wallet }, unknown] }))
    openAsStaff('/admin/members')
    const row = async (name: string) => within((await screen.findByRole('link', { name: new RegExp(name) })).closest('tr') as HTMLElement)
    expect((await row(member.name)).getAllByRole('cell').slice(3).map((cell) => cell.textContent)).toEqual([
      'ActiveOwes $7.00', '$1,250.00', '$0.00', '$40.00', '$500.00',
    ])
    expect((await row('Ada Byron')).getAllByLabelText('not available')).toHaveLength(4)
  })

  it('opens nothing before the authenticator is enrolled, and shows the recovery codes once [D-O1]', async () => {
    server.use(
      me({ enrolled: false, recoveryCodesLeft: 0 }),
      totp({ enrolled: false, recoveryCodesLeft: 0 }),
      answers('post', '/users/totp', { secret: 'JBSWY3DPEHPK3PXP', uri: 'otpauth://totp/Solvane:rae?secret=JBSWY3DPEHPK3PXP' }),
    )
    const { user } = openAsStaff('/admin/members')
    expect(await screen.findByText(/^Set up an authenticator app to use the back office/)).toBeVisible()
    expect(currentPath()).toBe('/admin/security')
    expect(screen.queryByRole('link', { name: 'Queue' })).toBeNull()

    await user.click(screen.getByRole('button', { name: 'Set up' }))
    expect(await screen.findByText('JBSWY3DPEHPK3PXP')).toBeVisible()
    const confirmed = records('post', '/users/totp/confirm', { recoveryCodes: ['aaaa-1111', 'bbbb-2222'] })
    server.use(confirmed.handler, me({ enrolled: true }), totp())
    await user.type(screen.getByLabelText('Authenticator code'), '123456')
    await user.click(screen.getByRole('button', { name: 'Confirm' }))
    expect(await screen.findByText('aaaa-1111')).toBeVisible()
    expect(confirmed.seen[0]?.body).toEqual({ code: '123456' })
  })
})

describe('an unattended screen', () => {
  /** As if the last input had been made this long ago, in another tab. */
  const noInputFor = (minutes: number) =>
    act(() => {
      localStorage.setItem('staff-input-at', String(Date.now() - minutes * 60_000))
      window.dispatchEvent(new StorageEvent('storage', { key: 'staff-input-at' }))
    })

  it('warns, goes on where somebody is there, and else logs out, with the reason and the way back [D-S4] [D-S11]', async () => {
    const logout = records('post', '/auth/logout')
    server.use(logout.handler, answers('get', '/admin/members', { members: [] }))
    const { user } = openAsStaff('/admin/members')
    await screen.findByRole('heading', { level: 1, name: 'Members' })
    noInputFor(14.5)
    await user.click(await screen.findByRole('button', { name: 'Stay logged in' }))
    expect(screen.queryByRole('button', { name: 'Stay logged in' })).toBeNull()

    noInputFor(15)
    expect(await screen.findByText('You were logged out')).toBeVisible()
    expect(currentPath()).toBe('/login')
    expect(logout.seen).toHaveLength(1)
    expect(useSession.getState()).toMatchObject({ user: null, token: null })
    expect(window.history.state).toMatchObject({ usr: { from: '/admin/members' } })
  })

  it('of a second tab says the same, and a chosen logout says nothing [D-S4] [D-S9]', async () => {
    const { unmount } = openAsStaff('/admin')
    await screen.findByRole('heading', { level: 1, name: 'Queue' })
    act(() => {
      localStorage.setItem('staff-input-at', 'over')
      localStorage.setItem('auth', JSON.stringify({ state: { user: null, token: null }, version: 0 }))
      window.dispatchEvent(new StorageEvent('storage', { key: 'auth', newValue: localStorage.getItem('auth') }))
    })
    expect(await screen.findByText('You were logged out')).toBeVisible()
    unmount()

    const { user } = openAsStaff('/admin')
    await user.click(await screen.findByRole('button', { name: 'Logout' }))
    await waitFor(() => expect(currentPath()).toBe('/login'))
    expect(await screen.findByRole('heading', { name: 'Welcome Back' })).toBeVisible()
    expect(screen.queryByText('You were logged out')).toBeNull()
  })
})

describe('the search', () => {
  const found = {
    members: [{ id: 'm1', name: 'José Lima', email: 'jose@example.com', isFrozen: false, isVerified: true }],
    transactions: [{ ...deposit, reference: 'TNX-abc123' }],
    payments: [],
    missing: ['payments'],
  }

  it('opens from anywhere by its keys and leads to what was found, by the keyboard alone [R9]', async () => {
    const asked: string[] = []
    server.use(
      answers('get', '/admin/plans', { plans: [] }),
      http.get(`${base}/admin/search`, ({ request }) => (asked.push(new URL(request.url).search), HttpResponse.json({ success: true, ...found }))),
    )
    const { user } = openAsStaff('/admin/plans')
    await screen.findByRole('heading', { level: 1, name: 'Plans and values' })
    await user.keyboard('{Control>}k{/Control}')
    const box = await screen.findByRole('combobox', { name: 'Search' })
    expect(box).toHaveFocus()
    await user.keyboard('abc123')
    const options = await screen.findAllByRole('option')
    expect(options.map((one) => one.textContent)).toEqual([expect.stringMatching(/^TNX-abc123 · \$250\.00/), expect.stringMatching(/^José Lima/)])
    expect(box).toHaveAttribute('aria-activedescendant', options[0]?.id)
    expect(asked).toEqual(['?q=abc123'])
    expect(screen.getByText('Not answered in time: payments')).toBeVisible()
    await user.keyboard('{ArrowDown}{ArrowUp}{Enter}')
    await waitFor(() => expect(currentPath()).toBe(`/admin/review/${deposit.id}`))
  })

  it('opens by an early Enter what this text finds, not what the previous one found [R9]', async () => {
    const answered: Record<string, () => void> = {}
    server.use(
      answers('get', '/admin/plans', { plans: [] }),
      http.get(`${base}/admin/search`, async ({ request }) => {
        const text = new URL(request.url).searchParams.get('q') ?? ''
        if (text !== 'early') await new Promise<void>((resolve) => (answered[text] = resolve))
        return HttpResponse.json({ success: true, ...found, transactions: [], members: [{ ...found.members[0], id: `of-${text}`, name: `Of ${text}` }] })
      }),
      refuses('get', '/admin/members/:id', 404, { message: 'No such member' }),
    )
    const { user } = openAsStaff('/admin/plans')
    await screen.findByRole('heading', { level: 1, name: 'Plans and values' })
    await user.keyboard('{Control>}k{/Control}')
    const box = await screen.findByRole('combobox', { name: 'Search' })
    await user.keyboard('early')
    await screen.findByRole('option', { name: /Of early/ })
    // The text changes: the Enter for the one before it is forgotten.
    await user.clear(box)
    await user.keyboard('late{Enter}r')
    await waitFor(() => expect(Object.keys(answered)).toEqual(['later']))
    act(() => answered['later']?.())
    await screen.findByRole('option', { name: /Of later/ })
    expect(currentPath()).toBe('/admin/plans')
    await user.clear(box)
    await user.keyboard('latest{Enter}')
    await waitFor(() => expect(Object.keys(answered)).toContain('latest'))
    expect(currentPath()).toBe('/admin/plans')
    act(() => answered['latest']?.())
    await waitFor(() => expect(currentPath()).toBe('/admin/members/of-latest'))
  })

  it('finds pages that the role may open, and none of the others [R9] [D-O1]', async () => {
    server.use(answers('get', '/admin/search', { members: [], transactions: [], payments: [], missing: [] }))
    const { user } = openAsStaff('/admin', 'see')
    await user.click(await screen.findByRole('button', { name: /^Search/ }))
    await user.type(await screen.findByRole('combobox', { name: 'Search' }), 'pla')
    expect((await screen.findAllByRole('option')).map((one) => one.textContent)).toEqual(['Plans and valuesPages', 'Platform methodsPages'])
    await user.clear(screen.getByRole('combobox', { name: 'Search' }))
    await user.type(screen.getByRole('combobox', { name: 'Search' }), 'audit')
    expect(await screen.findByText('Nothing found')).toBeVisible()
  })
})

describe('members and transactions', () => {
  it('that match are offered as files [R9] [D-O3]', async () => {
    const asked: string[] = []
    const names: string[] = []
    const answer = (list: object) => ({ request }: { request: Request }) => {
      const { pathname, search } = new URL(request.url)
      if (!search.includes('format=csv')) return HttpResponse.json({ success: true, ...list })
      asked.push(pathname + search)
      return HttpResponse.text('id\r\n', { headers: { 'Content-Type': 'text/csv' } })
    }
    server.use(http.get(`${base}/admin/members`, answer({ members: [member] })), http.get(`${base}/admin/transactions`, answer({ transactions: [deposit] })))
    Object.assign(URL, { createObjectURL: () => 'blob:1', revokeObjectURL: () => undefined })
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      names.push(this.download)
    })
    const { user } = openAsStaff('/admin/members?search=ada')
    await user.click(await screen.findByRole('button', { name: 'Members as CSV' }))
    await user.click(await screen.findByRole('button', { name: 'Transactions as CSV' }))
    await waitFor(() => expect(names).toEqual(['solvane-members.csv', 'solvane-transactions.csv']))
    expect(asked).toEqual(['/v1/admin/members?search=ada&format=csv', '/v1/admin/transactions?search=ada&format=csv'])
  })
})
