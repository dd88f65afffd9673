import { act, screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { adminPaths } from '@/features/admin/paths'
import { queryClient } from '@/lib/query-client'
import { useSession } from '@/lib/session'
import { openAsMember, currentPath } from '@/testing/render'
import { transaction, usdt } from '@/testing/samples'
import { answers, emptyBackOffice, member, records, refuses, server } from '@/testing/server'

const base = `${window.location.origin}/v1`
const ME = '0193f1c2-7a51-4e0a-9b7a-3d1f2c4b5a60'

const me = (totp: object = {}, permissions = ['see', 'decide', 'freeze', 'writeNotes']) =>
  answers('get', '/admin/me', {
    user: { id: ME, name: 'Rae', email: 'rae@solvane.test', role: 'reviewer' },
    totp: { required: true, enrolled: true, passkeys: 0, recoveryCodesLeft: 10, ...totp },
    stepUpUntil: null,
    permissions,
  })

const totp = (state: object = {}) =>
  answers('get', '/users/totp', { totp: { required: true, enrolled: true, passkeys: 0, recoveryCodesLeft: 10, ...state }, stepUpUntil: null })

const deposit = { ...transaction({ status: 'pending', amount: 250, revision: 3, txid: 'claimed-hash' }), memberId: 'member-1' }

const review = (changes: object = {}) => ({
  transaction: { ...deposit, ...changes },
  checks: [{ name: 'amount_in_limits', ok: true, state: 'ok', detail: '$250.00 is within the limits.', transactionIds: [] }],
  wallet: { balance: 0, held: 0, bonus: 0, invested: 0 },
  entries: [],
  blockers: [],
  candidates: [],
})

const proposal = (changes: object = {}) => ({
  id: 'trd_1',
  kind: 'plan.value',
  status: 'open',
  subjectId: 'plan-1',
  change: { at: null, source: 'Custodian report', value: 1.05 },
  before: { at: '2026-03-05T14:07:00Z', source: 'Older report', value: 1.04 },
  proposedBy: 'somebody-else',
  proposedAt: '2026-03-05T14:07:00Z',
  expiresAt: '2026-03-12T14:07:00Z',
  permission: 'changePlans',
  ...changes,
})

/** Whose permissions these are the pages do not care. */
function openAsStaff(path: string, ...permissions: string[]) {
  if (permissions.length) server.use(me({}, permissions))
  return openAsMember(path, { role: 'reviewer', wallet: null })
}

beforeEach(() => {
  server.use(
    me(),
    answers('get', '/admin/queue', {
      queue: [{ kind: 'deposit', count: 1, oldestAt: deposit.createdAt }, { kind: 'payout', count: 0, oldestAt: null }],
      times: { deposit: { median: 720, p90: 2_400 }, fee: null, withdrawal: null, payout: null },
    }),
    answers('get', '/admin/transactions', { transactions: [deposit] }),
    answers('get', '/admin/transactions/:id', review()),
    answers('post', '/admin/transactions/:id/viewing', { viewers: [] }),
    answers('get', '/admin/plans', { plans: [] }),
    answers('get', '/admin/payment-methods', { paymentMethods: [] }),
    ...emptyBackOffice(),
  )
})

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

/** Required where the chain does not prove a payment. */
const stateVerification = async (user: UserEvent) => user.type(await screen.findByLabelText('Note for the audit log'), 'Seen')

describe('a decision', () => {
  const path = `/admin/review/${deposit.id}`

  it('sends what was seen and what arrived [D-O2] [D-D4] [D-R9]', async () => {
    const approved = records('post', '/admin/transactions/:id/approve', { transaction: {} })
    server.use(approved.handler)
    const { user } = openAsStaff(path)
    await screen.findByRole('heading', { name: 'Your decision' })
    await user.keyboard('a')
    expect(await screen.findByLabelText('Transaction hash')).toHaveValue('claimed-hash')
    await user.clear(screen.getByLabelText('Amount that arrived'))
    await user.type(screen.getByLabelText('Amount that arrived'), '249.5')
    expect(screen.getByText(/The member claimed \$250\.00/)).toBeVisible()
    await stateVerification(user)
    await user.click(screen.getByRole('button', { name: 'Credit $249.50' }))
    await waitFor(() => expect(approved.seen).toHaveLength(1))
    expect(approved.seen[0]?.body).toEqual({ revision: 3, receivedAmount: 249.5, txid: 'claimed-hash', note: 'Seen' })
    expect(approved.seen[0]?.headers.get('Idempotency-Key')).toBeTruthy()
  })

  it('shows what the chain tells with its state, the worst first, and fills in the payment [D-Q4] [D-R17]', async () => {
    const check = (name: string, state: string) => ({ name, ok: state === 'ok', state, detail: `About ${name}.`, transactionIds: [] })
    const payment = {
      chain: 'bitcoin', txid: 'ab12', index: 1, asset: 'BTC', units: '513809', decimals: 8,
      state: 'included', confirmations: 1, confirmationsNeeded: 2, seenAt: '2026-03-05T14:08:00Z',
    }
    const checks = [check('payment_found', 'ok'), check('payment_confirmations', 'warn'), check('payment_quote', 'unknown'), check('payment_asset', 'fail')]
    const evidence = { at: '2026-03-05T14:09:00Z', payments: [payment], suggestedAmount: 249.37 }
    server.use(answers('get', '/admin/transactions/:id', { ...review(), checks, evidence }))
    const { user } = openAsStaff(path)
    const list = await screen.findByLabelText('Checklist')
    const lines = within(list).getAllByRole('listitem').map((line) => line.querySelector('p')?.textContent)
    expect(lines).toEqual(['Currency received, failed', 'Quote, unknown', 'Confirmations, needs attention', 'On the chain, OK'])
    expect(screen.getByText('0.00513809 BTC')).toBeVisible()
    expect(screen.getByText(/1 of 2 confirmations/)).toBeVisible()
    await user.keyboard('a')
    expect(await screen.findByLabelText('Transaction hash')).toHaveValue('ab12')
    expect(screen.getByLabelText('Amount that arrived')).toHaveValue('249.37')
    expect(screen.getByLabelText(/^Output/)).toHaveValue('1')
  })

  it('lists payments that nobody claims, and attaches one to a transaction [D-Q6]', async () => {
    const payment = {
      chain: 'bitcoin', txid: 'ab12', index: 1, asset: 'BTC', units: '513809', decimals: 8, address: 'bc1q-ours',
      state: 'final', confirmations: 2, confirmationsNeeded: 2, seenAt: '2026-03-05T14:08:00Z',
    }
    const evidence = { at: '2026-03-05T14:09:00Z', payments: [payment], suggestedAmount: 249.37 }
    const asked: string[] = []
    server.use(
      answers('get', '/admin/payments/unclaimed', { payments: [{ ...payment, candidates: [deposit] }, { ...payment, txid: 'cd34', candidates: [] }] }),
      http.get(`${base}/admin/transactions/:id`, ({ request }) => {
        asked.push(new URL(request.url).search)
        return HttpResponse.json({ success: true, ...review(), evidence })
      }),
    )
    const { user } = openAsStaff('/admin/payments')
    expect(await screen.findByText('No open transaction was shown this address.')).toBeVisible()
    expect(screen.getAllByText('0.00513809 BTC')).toHaveLength(2)
    await user.click(screen.getByRole('link', { name: new RegExp(deposit.reference) }))
    expect(await screen.findByText(/Approve the transaction to attach the payment/)).toBeVisible()
    expect(asked[0]).toBe('?txid=ab12&vout=1')
    await user.keyboard('a')
    expect(await screen.findByLabelText('Transaction hash')).toHaveValue('ab12')
    expect(screen.getByLabelText('Amount that arrived')).toHaveValue('249.37')
  })

  it('asks for a note where the chain does not prove the payment [D-Q5]', async () => {
    const sentence = 'The chain does not prove this payment. Please state how it was verified.'
    server.use(refuses('post', '/admin/transactions/:id/approve', 422, { message: sentence, code: 'VALIDATION_FAILED', errors: { note: sentence } }))
    const { user } = openAsStaff(path)
    await screen.findByRole('heading', { name: 'Your decision' })
    await user.keyboard('a')
    await user.click(await screen.findByRole('button', { name: 'Credit $250.00' }))
    const note = screen.getByLabelText(/^Note for the audit log/)
    await waitFor(() => expect(note).toBeInvalid())
    expect(note).toHaveAccessibleDescription(expect.stringContaining(sentence))
    const approved = records('post', '/admin/transactions/:id/approve', { transaction: {} })
    server.use(approved.handler)
    await user.type(note, 'seen at an explorer')
    await user.click(screen.getByRole('button', { name: 'Credit $250.00' }))
    await waitFor(() => expect(approved.seen[0]?.body).toMatchObject({ note: 'seen at an explorer' }))
  })

  it('asks for a fresh code where one is required, and sends the very same again [D-O1] [D-G4]', async () => {
    const keys: (string | null)[] = []
    let isFresh = false
    const stepUps = records('post', '/auth/step-up', { until: '2026-03-05T14:12:00Z' })
    server.use(
      stepUps.handler,
      http.post(`${base}/admin/transactions/:id/approve`, ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'))
        if (isFresh) return HttpResponse.json({ success: true, message: 'Approved.', transaction: {} })
        isFresh = true
        return HttpResponse.json({ success: false, message: 'Please confirm with a code.', code: 'STEP_UP_REQUIRED' }, { status: 403 })
      }),
    )
    const { user } = openAsStaff(path)
    await screen.findByRole('heading', { name: 'Your decision' })
    await user.keyboard('a')
    await stateVerification(user)
    await user.click(await screen.findByRole('button', { name: 'Credit $250.00' }))
    const dialog = await screen.findByRole('dialog', { name: 'Confirm it is you' })
    await user.type(within(dialog).getByLabelText('Authenticator code'), '654321')
    await user.click(within(dialog).getByRole('button', { name: 'Confirm' }))
    expect(await screen.findByText('Approved.')).toBeVisible()
    expect(stepUps.seen[0]?.body).toEqual({ totp: '654321' })
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1])
  })

  it('has a decision signed by the passkey where it has to be, and sends the very same again [D-B3] [D-G4]', async () => {
    const keys: (string | null)[] = []
    const signed = { clientDataJSON: new ArrayBuffer(1), authenticatorData: new ArrayBuffer(1), signature: new ArrayBuffer(1), userHandle: null }
    const get = vi.fn().mockResolvedValue({ id: 'aWQ', rawId: new ArrayBuffer(1), type: 'public-key', response: signed })
    vi.stubGlobal('PublicKeyCredential', () => undefined)
    Object.defineProperty(navigator, 'credentials', { value: { get }, configurable: true })
    const begun = records('post', '/auth/step-up/passkey', { options: { challenge: 'AAEC' } })
    const stepUps = records('post', '/auth/step-up', { until: null })
    server.use(
      begun.handler,
      stepUps.handler,
      http.post(`${base}/admin/transactions/:id/approve`, ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'))
        if (stepUps.seen.length > 0) return HttpResponse.json({ success: true, message: 'Approved.', transaction: {} })
        const refused = { success: false, message: 'Confirm it.', code: 'PASSKEY_SIGNATURE_REQUIRED', digest: '0a0b' }
        return HttpResponse.json(refused, { status: 403 })
      }),
    )
    const { user } = openAsStaff(path)
    await screen.findByRole('heading', { name: 'Your decision' })
    await user.keyboard('a')
    await stateVerification(user)
    await user.click(await screen.findByRole('button', { name: 'Credit $250.00' }))
    const dialog = await screen.findByRole('dialog', { name: 'Sign this decision' })
    await user.click(within(dialog).getByRole('button', { name: 'Sign with your passkey' }))
    expect(await screen.findByText('Approved.')).toBeVisible()
    expect(begun.seen[0]?.body).toEqual({ digest: '0a0b' })
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1])
    vi.unstubAllGlobals()
  })

  it('says that the facts have changed, in one place [D-O2]', async () => {
    server.use(refuses('post', '/admin/transactions/:id/approve', 409, { message: 'It changed.', code: 'STALE_REVISION' }))
    const { user } = openAsStaff(path)
    await screen.findByRole('heading', { name: 'Your decision' })
    await user.keyboard('a')
    await stateVerification(user)
    await user.click(await screen.findByRole('button', { name: 'Credit $250.00' }))
    expect(await screen.findByText('This transaction has changed')).toBeVisible()
    expect(screen.queryByText('It changed.')).toBeNull()
  })

  it('chooses a reason by its digit, shows the mail, and needs one [D-R3] [D-E2]', async () => {
    const rejected = records('post', '/admin/transactions/:id/reject', { transaction: {} })
    server.use(rejected.handler)
    const { user } = openAsStaff(path)
    await screen.findByRole('heading', { name: 'Your decision' })
    await user.keyboard('r')
    await user.click(await screen.findByRole('button', { name: 'Reject' }))
    expect(screen.getByText('Choose a reason. It is shown to the member.')).toBeVisible()
    await user.click(screen.getByRole('radio', { name: /Proof unreadable/ }))
    await user.keyboard('2')
    expect(screen.getByRole('region', { name: 'Email to the member' })).toHaveTextContent(
      'Reason: The amount we received differs from the amount you entered.',
    )
    await user.click(screen.getByRole('button', { name: 'Reject' }))
    await waitFor(() => expect(rejected.seen[0]?.body).toEqual({ revision: 3, reasonCode: 'AMOUNT_MISMATCH' }))
  })

  it('waits for the member to confirm the address of a withdrawal [D-A4]', async () => {
    const detail = "Waiting for the member's confirmation, which is required for approval."
    const waits = review({ kind: 'withdrawal', title: 'Withdrawal', needsConfirmation: true })
    const checks = [{ name: 'destination_confirmed', ok: false, detail, transactionIds: [] }]
    const blockers = [{ act: 'approve', code: 'DESTINATION_UNCONFIRMED', message: 'The member has not confirmed the destination of this withdrawal yet.' }]
    server.use(answers('get', `/admin/transactions/${deposit.id}`, { ...waits, checks, blockers }))
    const { user } = openAsStaff(path)
    expect(await screen.findByText(detail)).toBeVisible()
    expect(screen.getByText(/has not confirmed the destination/)).toBeVisible()
    expect(screen.getByRole('button', { name: /Approve/ })).toBeDisabled()
    await user.keyboard('a')
    expect(screen.queryByRole('heading', { name: /^Approve this/ })).toBeNull()
    expect(screen.getByRole('button', { name: /Reject/ })).toBeEnabled()
  })

  it('names who else looks at it', async () => {
    const said = records('post', '/admin/transactions/:id/viewing', { viewers: [{ id: 'b', name: 'Remy Reviewer' }, { id: 'c', name: 'Ada Auditor' }] })
    server.use(said.handler)
    openAsStaff(path)
    expect(await screen.findByText('Remy Reviewer, Ada Auditor are also viewing this')).toBeVisible()
    expect(said.seen[0]?.path).toBe(`/v1/admin/transactions/${deposit.id}/viewing`)
  })

  it('is not disturbed when nobody can tell who else looks at it', async () => {
    const said = records('post', '/admin/transactions/:id/viewing', { success: false, message: 'Not now' }, 503)
    server.use(said.handler)
    openAsStaff(path)
    expect(await screen.findByRole('heading', { name: 'Your decision' })).toBeVisible()
    await waitFor(() => expect(said.seen).toHaveLength(1))
    expect(screen.queryByText(/also viewing this/)).toBeNull()
    expect(screen.queryByText('Not now')).toBeNull()
  })

  it('leaves the payout of a large withdrawal to another person than the approver [D-W5]', async () => {
    const withdrawal = { kind: 'withdrawal', title: 'Withdrawal', type: 'debit', approved: true, amount: 1000, netAmount: 975, fee: 25, destination: { address: 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS' } }
    server.use(answers('get', '/admin/transactions/:id', { ...review(withdrawal), approvedBy: ME }))
    openAsStaff(path, 'see', 'pay')
    expect(await screen.findByText('Someone else has to pay this out')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Mark as paid' })).toBeNull()
  })

  const payable = { kind: 'withdrawal', title: 'Withdrawal', type: 'debit', approved: true, amount: 1000, netAmount: 975, fee: 25, destination: { address: 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS' } }
  const until = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

  it('starts a payout before it shows where it goes, and marks it as paid with its output [D-B7] [D-B8]', async () => {
    const [started, paid] = [records('post', '/admin/transactions/:id/paying'), records('post', '/admin/transactions/:id/paid')]
    server.use(started.handler, paid.handler, answers('get', '/admin/transactions/:id', { ...review(payable), approvedBy: 'rae' }))
    const { user } = openAsStaff(path, 'see', 'pay', 'rejectPayout')
    const start = await screen.findByRole('button', { name: 'Start the payout' })
    expect(screen.queryByLabelText('Transaction hash of the payout')).toBeNull()
    server.use(answers('get', '/admin/transactions/:id', { ...review({ ...payable, revision: 4, paying: { by: ME, byName: 'Rae', until: until(15) } }), approvedBy: 'rae' }))
    await user.click(start)
    await waitFor(() => expect(started.seen[0]?.body).toEqual({ revision: 3 }))
    expect(await screen.findByText(/^You are paying this until/)).toBeVisible()
    expect(screen.getByRole('timer')).toHaveTextContent(/^1[45]:\d\d left$/)
    await user.type(screen.getByLabelText('Transaction hash of the payout'), 'a-hash')
    await user.type(screen.getByRole('textbox', { name: /^Output/ }), '-1')
    await user.click(screen.getByRole('button', { name: 'Mark as paid' }))
    expect(screen.getByText('Enter a whole number like 0')).toBeVisible()
    expect(paid.seen).toHaveLength(0)
    await user.clear(screen.getByRole('textbox', { name: /^Output/ }))
    await user.type(screen.getByRole('textbox', { name: /^Output/ }), '2')
    await user.click(screen.getByRole('button', { name: 'Mark as paid' }))
    expect(paid.seen).toHaveLength(0)
    await user.click(await screen.findByRole('button', { name: 'Yes, it is paid' }))
    await waitFor(() => expect(paid.seen[0]?.body).toEqual({ revision: 4, txid: 'a-hash', vout: 2 }))
  })

  it('pays exactly the units that are fixed, to copy or to scan, and takes over the payout that is detected [D-N4] [D-Q4]', async () => {
    const paid = records('post', '/admin/transactions/:id/paid')
    const payout = { asset: 'BTC', units: '400565', decimals: 8, rate: '97362.45', spreadBps: 0, at: until(0) }
    const [method, paying] = [{ currency: 'BTC', network: 'Bitcoin', address: 'bc1q-ours' }, { by: ME, byName: 'Rae', until: until(15) }]
    const shown = { ...review({ ...payable, method, payout, paying, destination: { address: 'bc1q-theirs' } }), approvedBy: 'rae' }
    const payment = {
      chain: 'bitcoin', txid: 'ab12', index: 1, asset: 'BTC', units: '400565', decimals: 8, state: 'included', confirmations: 1, confirmationsNeeded: 2,
    }
    const shows = (...payments: object[]) => answers('get', '/admin/transactions/:id', { ...shown, evidence: { at: '2026-03-05T14:09:00Z', payments } })
    const checks = [{ name: 'payment_units', state: 'fail', detail: '0.00400564 BTC instead of 0.00400565 BTC: less than was fixed.', transactionIds: [] }]
    server.use(paid.handler, answers('get', '/admin/transactions/:id', { ...shown, checks, evidence: { at: '2026-03-05T14:09:00Z', payments: [{ ...payment, units: '400564' }] } }))
    const { unmount } = openAsStaff(path, 'see', 'pay')
    expect((await screen.findAllByText('0.00400565 BTC')).length).toBeGreaterThan(0)
    expect(screen.getByText('Pay exactly, on Bitcoin')).toBeVisible()
    expect(screen.getByRole('img', { name: 'QR code of the payment' })).toBeVisible()
    expect(screen.getByText('The chain shows another amount')).toBeVisible()
    expect(screen.getByText(/less than was fixed\. Once it is recorded as sent, two treasurers/)).toBeVisible()
    expect(screen.getByLabelText('Transaction hash of the payout')).toHaveValue('')
    unmount()
    queryClient.clear()
    server.use(shows(payment))
    const { user } = openAsStaff(path, 'see', 'pay')
    expect(await screen.findByText('The payout was detected on the chain')).toBeVisible()
    expect(screen.getByLabelText('Transaction hash of the payout')).toHaveValue('ab12')
    await user.click(screen.getByRole('button', { name: 'Mark as paid' }))
    expect(paid.seen).toHaveLength(0)
    await user.click(await screen.findByRole('button', { name: 'Yes, it is paid' }))
    await waitFor(() => expect(paid.seen[0]?.body).toMatchObject({ txid: 'ab12', vout: 1 }))
  })

  it('says what a payout waits for, and what it cannot be started with, before the press [U8]', async () => {
    const frozen = { act: 'pay', code: 'ACCOUNT_FROZEN', message: 'The account of this member is frozen.' }
    server.use(answers('get', '/admin/transactions/:id', { ...review(payable), approvedBy: 'rae', blockers: [frozen] }))
    const { unmount } = openAsStaff(path, 'see', 'pay', 'rejectPayout')
    expect(await screen.findByText('It cannot be paid yet')).toBeVisible()
    expect(screen.getByText(frozen.message)).toBeVisible()
    expect(screen.queryByRole('button', { name: /Start the payout|Mark as paid/ })).toBeNull()
    expect(screen.getByRole('button', { name: 'Payout failed, reject' })).toBeEnabled()
    unmount()

    const seen = { act: 'start', code: 'PAYOUT_SEEN', message: 'The chain already shows a payment of this.' }
    server.use(answers('get', '/admin/transactions/:id', { ...review(payable), approvedBy: 'rae', blockers: [seen] }))
    openAsStaff(path, 'see', 'pay', 'rejectPayout')
    const start = await screen.findByRole('button', { name: 'Start the payout' })
    expect(start).toBeDisabled()
    expect(start).toHaveAccessibleDescription(/The chain already shows a payment of this/)
    expect(screen.queryByRole('button', { name: 'Payout failed, reject' })).toBeNull()
  })

  it('says who is paying, and offers others neither the payout nor its rejection [D-B7]', async () => {
    const paying = { by: 'tess', byName: 'Tess Treasurer', until: until(9) }
    server.use(answers('get', '/admin/transactions/:id', { ...review({ ...payable, paying }), approvedBy: 'rae' }))
    openAsStaff(path, 'see', 'pay', 'rejectPayout')
    expect(await screen.findByText(/^Tess Treasurer is paying this until/)).toBeVisible()
    expect(screen.queryByRole('button', { name: /Start the payout|Mark as paid|Renew|reject it/ })).toBeNull()
  })

  it('shows a payout on its way, which treasurers alone correct [D-N4]', async () => {
    const corrected = records('post', '/admin/transactions/:id/correct-payout')
    const sent = { ...payable, sentAt: until(-5), txid: 'ab'.repeat(32), revision: 5 }
    server.use(corrected.handler, answers('get', '/admin/transactions/:id', { ...review(sent), approvedBy: 'rae' }))
    const { unmount } = openAsStaff(path, 'see', 'pay', 'rejectPayout')
    expect(await screen.findByText(/^Sent /, { selector: 'p, h2, h3' })).toBeVisible()
    expect(screen.queryByRole('button', { name: /Start the payout|Mark as paid|Renew|reject|did not arrive/ })).toBeNull()
    unmount()
    queryClient.clear()
    const { user } = openAsStaff(path, 'see', 'pay', 'correctBalances')
    await user.click(await screen.findByRole('button', { name: 'It did not arrive like this' }))
    await user.click(screen.getByRole('button', { name: 'Propose' }))
    expect(screen.getByText('Choose what became of it')).toBeVisible()
    await user.selectOptions(screen.getByLabelText('What became of it'), 'It was paid with another transaction')
    await user.type(screen.getByLabelText('Reason'), 'Its fee was raised')
    await user.click(screen.getByRole('button', { name: 'Propose' }))
    expect(screen.getByText('The hash of the payout is required')).toBeVisible()
    expect(corrected.seen).toHaveLength(0)
    await user.type(screen.getByLabelText('Transaction hash of the payout'), 'cd'.repeat(32))
    await user.click(screen.getByRole('button', { name: 'Propose' }))
    await waitFor(() => expect(corrected.seen[0]?.body).toEqual({ outcome: 'other_transaction', txid: 'cd'.repeat(32), note: 'Its fee was raised' }))
  })

  it('leaves a large deposit to a second reviewer, and does not fill in what the first saw [D-B12]', async () => {
    const firstApproval = { by: 'remy', byName: 'Remy Reviewer', at: '2026-03-05T14:07:00Z', receivedAmount: 12_000, txid: 'seen-by-the-first', vout: 4 }
    const waiting = { amount: 12_500, txid: undefined, firstApproval }
    server.use(answers('get', '/admin/transactions/:id', review(waiting)))
    const { user, unmount } = openAsStaff(path)
    expect(await screen.findByText('Awaiting second review')).toBeVisible()
    await user.keyboard('a')
    expect(await screen.findByLabelText('Transaction hash')).toHaveValue('')
    expect(screen.getByLabelText('Amount that arrived')).toHaveValue('12500.00')
    unmount()
    queryClient.clear()
    const blockers = [{ act: 'approve', code: 'SECOND_PERSON_REQUIRED', message: 'Another reviewer has to approve this deposit.' }]
    server.use(answers('get', '/admin/transactions/:id', { ...review({ ...waiting, firstApproval: { ...firstApproval, by: ME } }), blockers }))
    openAsStaff(path)
    expect(await screen.findByText(/Another reviewer has to approve the same/)).toBeVisible()
    expect(screen.getByRole('button', { name: /^Approve/ })).toBeDisabled()
    expect(screen.getByRole('button', { name: /^Reject/ })).toBeEnabled()
  })
})

describe('the queue', () => {
  it('tells how long it took in the last 24 hours, where anything was handled [D-O2]', async () => {
    openAsStaff('/admin')
    const counts = within(await screen.findByRole('navigation', { name: 'Queue' }))
    expect(counts.getByRole('link', { name: /^Deposit/ })).toHaveTextContent('median 12 min · 90% within 40 min')
    expect(counts.getByRole('link', { name: /^Payout/ })).not.toHaveTextContent('median')
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

describe('a payment on the chain that nobody claimed', () => {
  it('is taken over by the press that approves, if it is about what was claimed [D-Q6] [D-Q4]', async () => {
    const payment = {
      chain: 'bitcoin', txid: 'ab'.repeat(32), index: 1, asset: 'BTC', units: '513809', decimals: 8, state: 'final', confirmations: 3,
      confirmationsNeeded: 2, seenAt: '2026-03-05T14:05:00Z',
    }
    const approved = records('post', '/admin/transactions/:id/approve', { transaction: {} })
    server.use(
      approved.handler,
      http.get(`${base}/admin/transactions/:id`, ({ request }) => {
        const isChosen = new URL(request.url).searchParams.has('txid')
        const evidence = { at: '2026-03-05T14:09:00Z', payments: isChosen ? [payment] : [], ...(isChosen ? { suggestedAmount: 249.37 } : {}) }
        const candidates = isChosen ? [] : [{ ...payment, value: 249.37 }, { ...payment, txid: 'cd'.repeat(32), value: 5 }]
        return HttpResponse.json({ success: true, ...review({ txid: undefined }), evidence, candidates })
      }),
    )
    const { user } = openAsStaff(`/admin/review/${deposit.id}`)
    expect(await screen.findByText('best match')).toBeVisible()
    await user.keyboard('a')
    const hash = await screen.findByLabelText('Transaction hash')
    expect(hash).toHaveValue(payment.txid)
    expect(hash).toHaveFocus()
    await user.keyboard('{Enter}')
    await waitFor(() => expect(approved.seen[0]?.body).toMatchObject({ receivedAmount: 249.37, txid: payment.txid, vout: 1 }))
  })
})

describe('the ledger', () => {
  it('shows behind a transaction what it moved, in plain words [D-O2] [D-R16]', async () => {
    const entries = [
      { postingId: 7, account: 'available', amount: -100, balance: 400, kind: 'withdrawal_hold', at: '2026-03-05T14:07:00Z' },
      { postingId: 7, account: 'settlement', amount: 100, balance: -1000, kind: 'withdrawal_hold', at: '2026-03-05T14:07:00Z' },
    ]
    server.use(answers('get', '/admin/transactions/:id', { ...review(), entries }))
    openAsStaff(`/admin/review/${deposit.id}`)
    const table = within(await screen.findByRole('region', { name: 'Ledger entries' }))
    const rows = table.getAllByRole('row').slice(1).map((row) => row.textContent)
    expect(rows[0]).toMatch(/^7Availablewithdrawal hold.*-\$100\.00\$400\.00$/)
    expect(rows[1]).toMatch(/^7Platform holdings.*\$100\.00-\$1,000\.00$/)
  })
})

describe('the journal', () => {
  it('is put together from its parts, for those who may read it [D-R16]', async () => {
    const asked: (string | null)[] = []
    server.use(
      http.get(`${base}/admin/journal`, ({ request }) => {
        const cursor = new URL(request.url).searchParams.get('cursor')
        asked.push(cursor)
        const [line, next] = cursor === '' ? ['{"id":1}\n', '3.1'] : cursor === '3.1' ? ['{"id":2}\n', '4.2'] : ['', '4.2']
        return new HttpResponse(line, { headers: { 'X-Next-Cursor': next, 'Content-Type': 'application/x-ndjson' } })
      }),
    )
    const saved: Blob[] = []
    vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => (saved.push(blob as Blob), 'blob:journal'))
    vi.spyOn(URL, 'revokeObjectURL').mockImplementation(() => undefined)
    const { user } = openAsStaff('/admin/solvency', 'see', 'seeJournal')
    await user.click(await screen.findByRole('button', { name: 'Download' }))
    await waitFor(() => expect(saved).toHaveLength(1))
    expect(asked).toEqual(['', '3.1', '4.2'])
    expect(saved[0]?.size).toBe('{"id":1}\n{"id":2}\n'.length)
    vi.restoreAllMocks()
  })

  it('is not offered to others [D-R16]', async () => {
    openAsStaff('/admin/solvency')
    await screen.findByText('The ledger is consistent')
    expect(screen.queryByRole('button', { name: 'Download' })).toBeNull()
  })
})

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
    openAsStaff('/admin')
    expect(await screen.findByText(/Your role is new/)).toBeVisible()
  })
})

describe('the books', () => {
  it('tell everybody that withdrawals are stopped, and how to open them [D-R6]', async () => {
    const reopened = records('post', '/admin/withdrawals/reopen', {}, 201)
    server.use(
      reopened.handler,
      answers('get', '/admin/integrity', {
        faults: [], trialBalance: 0, drift: 0.01, liabilities: { available: 0, held: 0, invested: 0, bonus: 0, total: 0 },
        holdings: 0, pool: 0, outboxOldestSeconds: 0, deadLetters: 1, ok: false,
        solvency: { owed: 0, gains: 0, held: 0, assets: 0, stated: 0, observed: false, missing: 0 },
        withdrawals: { stopped: true, since: '2026-03-05T14:07:00Z', reason: 'Drift of $0.01' },
      }),
      answers('get', '/admin/dead-letters', { deadLetters: [{ id: 'd1', queue: 'mailer.events', key: 'wallet.v1.x', reason: 'unreadable', at: '2026-03-05T14:07:00Z' }] }),
    )
    const { user } = openAsStaff('/admin/solvency', 'see', 'reopenWithdrawals')
    expect(await screen.findByText('Withdrawals are paused')).toBeVisible()
    expect(await screen.findByText('Drift of $0.01')).toBeVisible()
    expect(await screen.findByText('mailer.events')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Propose to resume' }))
    await waitFor(() => expect(reopened.seen).toHaveLength(1))
  })
})

describe('the sums of the books', () => {
  const concernOf = (label: string) => screen.getByText(label).closest('div') as HTMLElement

  it('say in words where less is held than is owed, by the verdict of the server [D-R6] [D-T4]', async () => {
    server.use(
      answers('get', '/admin/integrity', {
        faults: [], trialBalance: 0, drift: 0, liabilities: { available: 900, held: 100, invested: 0, bonus: 0, total: 1000 },
        holdings: 999.99, pool: -20.5, outboxOldestSeconds: 0, deadLetters: 0, ok: false, withdrawals: { stopped: false },
        solvency: { owed: 1000, gains: 0, held: 999.99, assets: 0, stated: 0, observed: false, missing: 0.01 },
      }),
    )
    openAsStaff('/admin/solvency')
    expect(await screen.findByText('Less is held than members are owed')).toBeVisible()
    // One verdict: no page is right and wrong at once.
    expect(screen.getAllByRole('status')[0]).toHaveTextContent('Holdings do not cover what members are owed$0.01 is missing.')
    expect(screen.getByRole('alert')).toHaveTextContent('Holdings do not cover what members are owed')
    expect(screen.queryByText('The ledger is consistent')).toBeNull()
    expect(concernOf('Held for members')).toHaveTextContent('$999.99')
    expect(concernOf('Held for members')).toHaveClass('text-negative')
    expect(concernOf('Investment pool')).toHaveTextContent('-$20.50')
    expect(screen.queryByText('Must be zero')).toBeNull()
  })

  it('say nothing where nothing is wrong [D-R6]', async () => {
    openAsStaff('/admin/solvency')
    await screen.findByText('The ledger is consistent')
    for (const words of ['Less is held than members are owed', 'Investment pool', 'Must be zero']) expect(screen.queryByText(words)).toBeNull()
  })
})

describe('exact and final deposits', () => {
  const payment = {
    chain: 'bitcoin', txid: 'ab12', index: 1, asset: 'BTC', units: '513809', decimals: 8, state: 'final', confirmations: 3,
    confirmationsNeeded: 2, seenAt: '2026-03-05T14:05:00Z',
  }
  const ids = ['one', 'two', 'stale', 'doubtful']
  const verdict = (transactionId: string, changes: object = {}) => ({
    transactionId, revision: 3, at: '2026-03-05T14:09:00Z', checks: 8, concerns: 0, chainState: 'final', blockers: [],
    provenBy: { payment, evidenceAt: '2026-03-05T14:09:00Z' }, ...changes,
  })
  const verdicts = answers('get', '/admin/queue/verdicts', {
    complete: true,
    verdicts: [
      verdict('one'),
      verdict('two', { provenBy: { payment: { ...payment, index: 2 }, evidenceAt: '2026-03-05T14:10:00Z' } }),
      verdict('stale', { revision: 2 }),
      verdict('doubtful', { concerns: 1, provenBy: undefined, blockers: [{ act: 'approve', code: 'FEE_PENDING', message: 'A fee.' }] }),
    ],
  })

  it('of the whole queue are approved in two presses, each with its own evidence and key [D-Q5] [U14]', async () => {
    const sent: { id: string; key: string | null; body: unknown }[] = []
    server.use(
      answers('get', '/admin/transactions', { transactions: ids.map((id) => ({ ...deposit, id, reference: `TNX-${id}` })) }),
      verdicts,
      http.post(`${base}/admin/transactions/:id/approve`, async ({ params, request }) => {
        sent.push({ id: String(params['id']), key: request.headers.get('Idempotency-Key'), body: await request.json() })
        return params['id'] === 'one'
          ? HttpResponse.json({ success: false, message: 'The payment has changed since.', code: 'STALE_EVIDENCE' }, { status: 409 })
          : HttpResponse.json({ success: true, transaction: {} })
      }),
    )
    const { user } = openAsStaff('/admin', 'see', 'decide')
    await user.click(await screen.findByRole('button', { name: 'Approve all 2 proven' }))
    const dialog = within(screen.getByRole('dialog'))
    expect(dialog.getAllByText('ab12, output 1')).toHaveLength(1)
    await user.click(dialog.getByRole('button', { name: 'Approve 2 deposits' }))
    expect(await dialog.findByText('The payment has changed since.')).toBeVisible()
    expect(dialog.getByText('Approved')).toBeVisible()
    const body = (vout: number, evidenceAt: string) => ({ revision: 3, receivedAmount: 250, txid: 'ab12', vout, evidenceAt })
    const bodies = new Map(sent.map(({ id, body: one }) => [id, one]))
    expect(bodies).toEqual(new Map([['one', body(1, '2026-03-05T14:09:00Z')], ['two', body(2, '2026-03-05T14:10:00Z')]]))
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2)
  })

  it('are looked for before a view is said to be empty [R9]', async () => {
    server.use(answers('get', '/admin/queue/verdicts', { complete: false, verdicts: [] }))
    const { user } = openAsStaff('/admin', 'see', 'decide')
    await screen.findByText(new RegExp(deposit.reference))
    await user.click(screen.getByText('Blocked'))
    expect(await screen.findByText('Loading the queue')).toBeVisible()
    expect(screen.queryByText('Nothing in this view')).toBeNull()
  })

  it('are not offered to those who may not decide', async () => {
    server.use(verdicts)
    openAsStaff('/admin', 'see')
    await screen.findByText(new RegExp(deposit.reference))
    expect(screen.queryByText('Exact and final deposits')).toBeNull()
  })
})

describe('the holdings', () => {
  it('compare what is held with the books, and show a dash for what is not known [D-Q8]', async () => {
    const held = {
      chain: 'bitcoin', asset: 'BTC', decimals: 8, units: '93000000', books: '100000000', difference: '-7000000', state: 'fail',
      at: '2026-03-05T14:07:00Z', rate: '97312.45', rateAt: '2026-03-05T14:06:00Z', value: 90500.57,
      addresses: [{ address: 'bc1q-ours', units: '93000000', at: '2026-03-05T14:07:00Z' }],
    }
    const unknown = { chain: 'tron', asset: 'USDT', decimals: 6, units: null, books: null, difference: null, at: null, state: 'unknown', addresses: [] }
    const left = {
      chain: 'bitcoin', txid: 'ab12', index: 0, asset: 'BTC', units: '7000000', decimals: 8, state: 'final', confirmations: 6,
      confirmationsNeeded: 6, seenAt: '2026-03-05T14:05:00Z', address: 'bc1q-ours', counterparty: 'bc1q-theirs',
    }
    server.use(answers('get', '/admin/holdings', { holdings: [held, unknown], outflows: [left], undone: [{ transaction: deposit, payment: left, changedAt: null }] }))
    // The page's earlier address.
    openAsStaff('/admin/holdings')
    const [bitcoin, tether] = (await screen.findAllByRole('heading', { level: 3 })).map((heading) => heading.closest('li'))
    expect(bitcoin).toHaveTextContent('−0.07 BTC')
    expect(bitcoin).toHaveTextContent('Less than the books')
    expect(bitcoin).toHaveTextContent('$90,500.57 at $97,312.45')
    expect(within(tether as HTMLElement).getAllByText('–')).toHaveLength(3)
    expect(tether).toHaveTextContent('Unknown')
    expect(screen.getByText('Payments without a withdrawal')).toBeVisible()
    expect(screen.getByText('bc1q-theirs')).toBeVisible()
    expect(screen.getByRole('link', { name: new RegExp(deposit.reference) })).toHaveAttribute('href', adminPaths.review(deposit.id))
  })

  it('do not match the books: the page says what [D-Q8] [D-R17]', async () => {
    server.use(
      answers('get', '/admin/integrity', {
        faults: [{ subject: 'holding', subjectId: 'bitcoin BTC', detail: '0.07 BTC less are held on bitcoin than the books say.', foundAt: null }],
        trialBalance: 0, drift: 0, liabilities: { available: 0, held: 0, invested: 0, bonus: 0, total: 0 },
        holdings: 0, pool: 0, outboxOldestSeconds: 0, deadLetters: 0, ok: false, withdrawals: { stopped: false },
        solvency: { owed: 0, gains: 0, held: 0, assets: 0, stated: 0, observed: false, missing: 0 },
      }),
    )
    openAsStaff('/admin/solvency')
    // The banner and the page say it in the same words.
    await waitFor(() => expect(screen.getAllByText('What is held does not match the books')).toHaveLength(2))
    expect(screen.getByText('0.07 BTC less are held on bitcoin than the books say.')).toBeVisible()
  })
})

describe('the treasury', () => {
  const backing = {
    planId: 'p1', title: 'Starter', cash: 250, assetsValue: 130, cost: 100, value: 150, at: '2026-03-05T14:07:00Z', missing: 0,
    assets: [{ name: 'Bonds', cost: 100, value: 130, provenAt: '2026-03-01T00:00:00Z', proof: 'Contract note 17', issuer: 'Broker' }],
  }
  const treasury = {
    capital: 1000, courseRevenue: 87, feeRevenue: 2.5, networkFees: -1, bonusExpense: 0, adjustments: 0, plans: [backing], movements: [],
    solvency: { owed: 400, gains: 50, held: 399.99, assets: 130, stated: 0, observed: false, missing: 0.01 },
  }

  it('says what is owed and held, what stands behind each plan, and takes a movement [D-T1] [D-T3] [D-T4]', async () => {
    const proposed = records('post', '/admin/treasury/movements', { proposalId: 'wal_1', proposal: {} }, 201)
    server.use(
      proposed.handler,
      answers('get', '/admin/treasury', treasury),
      answers('get', '/admin/plans', { plans: [{ id: 'p1', title: 'Starter' }] }),
    )
    const { user } = openAsStaff('/admin/treasury', 'see', 'correctBalances')
    expect(await screen.findByText('$0.01 is missing for what members are owed')).toBeVisible()
    expect(screen.getByText(/cost \$100.00; Contract note 17, Broker/)).toBeVisible()
    const form = within(screen.getByRole('form', { name: 'Propose a movement' }))
    await user.selectOptions(form.getByLabelText('What moves'), 'plan_bought')
    await user.click(form.getByRole('button', { name: 'Propose' }))
    expect(await form.findByText('Enter the transaction hash, or name a document below')).toBeVisible()
    expect(proposed.seen).toHaveLength(0)
    await user.selectOptions(form.getByLabelText('Plan'), 'p1')
    await user.type(form.getByLabelText('What was bought'), 'Bonds')
    await user.type(form.getByLabelText('Amount'), '60')
    await user.type(form.getByLabelText(/^Document/), 'Contract note 17')
    await user.type(form.getByLabelText(/^Issued by/), 'Broker')
    await user.type(form.getByLabelText(/^Date/), '2026-03-01')
    await user.type(form.getByLabelText('Reason'), 'as agreed')
    await user.click(form.getByRole('button', { name: 'Propose' }))
    expect(await form.findByText('Attach the document')).toBeVisible()
    const paper = new File(['%PDF-1.7'], 'note-17.pdf', { type: 'application/pdf' })
    await user.upload(form.getByLabelText(/^File of the document/), paper)
    expect(await form.findByText('note-17.pdf')).toBeVisible()
    await user.click(form.getByRole('button', { name: 'Propose' }))
    await waitFor(() => expect(proposed.seen).toHaveLength(1))
    expect(proposed.seen[0]?.body).toMatchObject({
      kind: 'plan_bought', amount: 60, planId: 'p1', asset: 'Bonds', document: 'Contract note 17', issuer: 'Broker',
      documentAt: '2026-03-01T00:00:00.000Z', note: 'as agreed', file: `data:application/pdf;base64,${btoa('%PDF-1.7')}`,
    })
  })

  it('shows the stored document of a movement to all staff [D-T1]', async () => {
    const moved = {
      id: 'wal_1', kind: 'holding_stated', status: 'confirmed', proposedBy: 'a', decidedBy: 'b', permission: 'correctBalances',
      change: { amount: 5, asset: 'Bank', document: 'Note 17', documentSha256: 'ab', note: 'as agreed' }, before: null,
      documentLink: '/v1/files/documents/a.pdf?owner=1',
    }
    server.use(answers('get', '/admin/treasury', { ...treasury, movements: [moved] }))
    openAsStaff('/admin/treasury', 'see')
    const link = await screen.findByRole('link', { name: /Open Note 17/ })
    expect(link).toHaveAttribute('href', moved.documentLink)
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

describe('the proof of an address [D-T5]', () => {
  it('is entered by a treasurer with its message, or refused there, and its day is shown', async () => {
    const wrong = { message: 'Check the signature', errors: { signature: 'The key of this address did not sign this message' } }
    server.use(
      answers('get', '/admin/payment-methods', { paymentMethods: [{ current: usdt, active: true, proven: '2026-11-28', versions: [usdt] }] }),
      refuses('post', '/admin/payment-methods/:id/proof', 422, wrong),
    )
    const { user } = openAsStaff('/admin/payment-methods', 'see', 'changeMethods')
    expect(await screen.findByText('Proved Nov 28, 2026')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Attach a proof' }))
    const dialog = within(screen.getByRole('dialog', { name: 'Prove the address of USDT on TRC20' }))
    await user.click(dialog.getByRole('button', { name: 'Attach' }))
    expect(await dialog.findAllByText('This is required')).toHaveLength(2)
    await user.type(dialog.getByLabelText('Message'), ' Solvane Ltd controls the address T on 2026-11-28 ')
    await user.type(dialog.getByLabelText('Signature'), '0xfde0')
    await user.click(dialog.getByRole('button', { name: 'Attach' }))
    expect(await dialog.findByText('The key of this address did not sign this message')).toBeVisible()
    const attached = records('post', '/admin/payment-methods/:id/proof')
    server.use(attached.handler)
    await user.click(dialog.getByRole('button', { name: 'Attach' }))
    await waitFor(() => expect(attached.seen[0]?.body).toEqual({ message: 'Solvane Ltd controls the address T on 2026-11-28', signature: '0xfde0' }))
  })
})

describe('the signature of a platform method [D-M1]', () => {
  const method = (changes: object = {}) => {
    const current = { ...usdt, version: 2, ...changes }
    return answers('get', '/admin/payment-methods', { paymentMethods: [{ current, active: true, versions: [current] }] })
  }

  it('is missing, and a treasurer attaches it to the version in force', async () => {
    const attached = records('post', '/admin/payment-methods/:id/signature')
    server.use(method(), attached.handler)
    const { user } = openAsStaff('/admin/payment-methods', 'see', 'changeMethods')
    expect(await screen.findByText('Unsigned')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Attach a signature' }))
    const dialog = within(screen.getByRole('dialog', { name: 'Sign USDT on TRC20' }))
    expect(dialog.getByRole('button', { name: 'Download the statement of version 2' })).toBeEnabled()
    await user.click(dialog.getByRole('button', { name: 'Attach' }))
    expect(await dialog.findByText('This is required')).toBeVisible()
    await user.type(dialog.getByLabelText('Signature'), ' 2026-11-23T16:00:00Z.abc ')
    await user.click(dialog.getByRole('button', { name: 'Attach' }))
    await waitFor(() => expect(attached.seen[0]?.body).toEqual({ version: 2, signature: '2026-11-23T16:00:00Z.abc' }))
    expect(attached.seen[0]?.path).toBe('/v1/admin/payment-methods/pm-usdt/signature')
  })

  it('is entered with the proposal of the next version, or refused there', async () => {
    const saved: Blob[] = []
    Object.assign(URL, { createObjectURL: (blob: Blob) => `blob:${saved.push(blob)}`, revokeObjectURL: () => undefined })
    const wrong = { message: 'Check the signature', errors: { signature: 'The signature does not belong to this address' } }
    server.use(method({ signature: '2026-11-23T16:00:00Z.abc' }), refuses('put', '/admin/payment-methods/:id', 422, wrong))
    const { user } = openAsStaff('/admin/payment-methods', 'see', 'changeMethods')
    // This build has no key to verify it with.
    expect(await screen.findByText('Signature not verified')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Propose a change' }))
    const dialog = within(screen.getByRole('dialog', { name: 'Change USDT on TRC20' }))
    await user.clear(dialog.getByLabelText('Address'))
    expect(dialog.getByRole('button', { name: /^Download the statement/ })).toBeDisabled()
    await user.type(dialog.getByLabelText('Address'), ' TNEW ')
    await user.click(dialog.getByRole('button', { name: 'Download the statement of version 3' }))
    expect(await saved[0]?.text()).toMatch(
      /^Solvane platform address\ncurrency=USDT\nnetwork=TRC20\naddress=TNEW\nmemo=\nversion=3\nvalid-from=[\d-]+T[\d:]+Z\n$/,
    )
    await user.type(dialog.getByLabelText(/^Signature/), 'x')
    await user.click(dialog.getByRole('button', { name: 'Propose' }))
    expect(await dialog.findByText('The signature does not belong to this address')).toBeVisible()
    const proposed = records('put', '/admin/payment-methods/:id', {}, 201)
    server.use(proposed.handler)
    await user.click(dialog.getByRole('button', { name: 'Propose' }))
    await waitFor(() =>
      expect(proposed.seen[0]?.body).toEqual({ currency: 'USDT', network: 'TRC20', address: 'TNEW', memo: '', label: '', signature: 'x' }),
    )
  })

  it('is attached by treasurers alone [D-O1]', async () => {
    server.use(method())
    openAsStaff('/admin/payment-methods', 'see')
    expect(await screen.findByText('Unsigned')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Attach a signature' })).toBeNull()
  })
})

describe('a published rate [D-Q2] [D-R17]', () => {
  it('is proposed by treasurers, as typed, and refused at its fields', async () => {
    server.use(
      answers('get', '/admin/payment-methods', { paymentMethods: [] }),
      refuses('post', '/admin/rates', 422, { message: 'Check the ask', errors: { ask: 'The ask must not be below the bid' } }),
    )
    const { user } = openAsStaff('/admin/payment-methods', 'see', 'publishRates')
    await user.click(await screen.findByRole('button', { name: 'Publish a rate' }))
    const dialog = within(screen.getByRole('dialog', { name: 'Publish a rate' }))
    await user.click(dialog.getByRole('button', { name: 'Propose' }))
    expect(await dialog.findAllByText('This is required')).toHaveLength(4)
    await user.type(dialog.getByLabelText('Currency'), ' btc ')
    await user.type(dialog.getByLabelText('Bid in dollars'), '97312.45')
    await user.type(dialog.getByLabelText('Ask in dollars'), '9')
    await user.type(dialog.getByLabelText('Source'), 'Kraken at noon')
    await user.click(dialog.getByRole('button', { name: 'Propose' }))
    expect(await dialog.findByText('The ask must not be below the bid')).toBeVisible()
    const proposed = records('post', '/admin/rates', {}, 201)
    server.use(proposed.handler)
    await user.type(dialog.getByLabelText('Ask in dollars'), '7315.1')
    await user.click(dialog.getByRole('button', { name: 'Propose' }))
    await waitFor(() =>
      expect(proposed.seen[0]?.body).toEqual({ asset: 'BTC', bid: '97312.45', ask: '97315.1', source: 'Kraken at noon', validMinutes: 60 }),
    )
  })

  it('is proposed by nobody else [D-O1]', async () => {
    server.use(answers('get', '/admin/payment-methods', { paymentMethods: [] }))
    openAsStaff('/admin/payment-methods', 'see', 'changeMethods')
    expect(await screen.findByRole('button', { name: 'Propose a method' })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Publish a rate' })).toBeNull()
  })
})
