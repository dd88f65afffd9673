import { screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { queryClient } from '@/lib/query-client'
import { ME, backOffice, base, deposit, openAsStaff, review } from '@/testing/back-office'
import { answers, records, refuses, server } from '@/testing/server'

beforeEach(() => server.use(...backOffice()))

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
    // The menu counts them.
    expect(await screen.findByRole('link', { name: /^Unclaimed payments.*2/ })).toBeVisible()
    expect(screen.getAllByText('0.00513809 BTC')).toHaveLength(2)
    await user.click(screen.getByRole('link', { name: new RegExp(deposit.reference) }))
    expect(await screen.findByText(/Approve the transaction to attach the payment/)).toBeVisible()
    expect(asked[0]).toBe('?txid=ab12&vout=1')
    await user.keyboard('a')
    expect(await screen.findByLabelText('Transaction hash')).toHaveValue('ab12')
    expect(screen.getByLabelText('Amount that arrived')).toHaveValue('249.37')
  })

  it('shows what an unclaimed payment is worth, and the transaction of the nearest amount first [D-Q6]', async () => {
    const payment = {
      chain: 'tron', txid: 'ab12', index: 0, asset: 'USDT', units: '195000000', decimals: 6, address: 'TPLATFORM', value: 194.96,
      state: 'final', confirmations: 20, confirmationsNeeded: 20, seenAt: '2026-03-05T14:08:00Z',
    }
    const candidates = [15, 310, 200].map((amount) => ({ ...deposit, id: `dep-${amount}`, reference: `TNX-${amount}`, amount }))
    server.use(answers('get', '/admin/payments/unclaimed', { payments: [{ ...payment, candidates }] }))
    openAsStaff('/admin/payments')
    expect(await screen.findByText('worth $194.96')).toBeVisible()
    expect(screen.getAllByText(/^TNX-\d+/).map(({ textContent }) => textContent)).toEqual(['TNX-200 · best match', 'TNX-310', 'TNX-15'])
  })

  it.each([
    ['a payment that is not final', { state: 'included' }, {}, 249.37],
    ['a check that says nothing', {}, { state: 'unknown', ok: false }, 249.37],
    ['more credited than the payment is worth', {}, {}, 249.36],
  ])('asks for a note for %s, before it is sent [D-Q5]', async (_what, ofPayment, ofCheck, worth) => {
    const approved = records('post', '/admin/transactions/:id/approve', { transaction: {} })
    const one = { txid: 'ab12', index: 1, chain: 'bitcoin', asset: 'BTC', units: '513809', decimals: 8, state: 'final', confirmations: 1, confirmationsNeeded: 2, ...ofPayment }
    const check = { name: 'payment_units', ok: true, state: 'warn', detail: 'As asked for.', transactionIds: [], ...ofCheck }
    server.use(
      approved.handler,
      answers('get', '/admin/transactions/:id', { ...review(), checks: [check], evidence: { at: '2026-03-05T14:09:00Z', payments: [one], suggestedAmount: worth } }),
    )
    const { user } = openAsStaff(path)
    await screen.findByRole('heading', { name: 'Your decision' })
    await user.keyboard('a')
    const amount = await screen.findByLabelText('Amount that arrived')
    await user.clear(amount)
    await user.type(amount, '249.37')
    await user.click(screen.getByRole('button', { name: 'Credit $249.37' }))
    const note = screen.getByLabelText('Note for the audit log')
    expect(note).toBeInvalid()
    expect(approved.seen).toHaveLength(0)
    await user.type(note, 'Seen at an explorer')
    await user.click(screen.getByRole('button', { name: 'Credit $249.37' }))
    await waitFor(() => expect(approved.seen[0]?.body).toMatchObject({ receivedAmount: 249.37, note: 'Seen at an explorer' }))
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

  it('approves with another hash than one that belongs to another payment [U8]', async () => {
    const message = 'This transaction hash, or this output of it, belongs to another payment.'
    const blockers = [{ act: 'hash', code: 'TXID_USED', message }]
    const used = 'ab'.repeat(32)
    server.use(answers('get', '/admin/transactions/:id', { ...review({ txid: used }), blockers }))
    const { user } = openAsStaff(path)
    expect(await screen.findByText(message)).toBeVisible()
    await user.click(screen.getByRole('button', { name: /^Approve/ }))
    const hash = await screen.findByLabelText('Transaction hash')
    expect(hash).toHaveValue(used)
    expect(hash).toHaveAccessibleDescription(new RegExp(message))
    expect(screen.getByRole('button', { name: /^Credit/ })).toBeDisabled()
    await user.clear(hash)
    await user.type(hash, 'cd'.repeat(32))
    expect(screen.getByRole('button', { name: /^Credit/ })).toBeEnabled()
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

  it('records that a rejected payment went back, to an address that the member confirmed [D-M5]', async () => {
    const proposed = records('post', '/admin/treasury/movements')
    const payment = { chain: 'tron', txid: 'ab12', index: 4, asset: 'USDT', units: '200000000', decimals: 6, state: 'final', confirmations: 20, confirmationsNeeded: 20 }
    const rejected = { ...review({ status: 'failed', description: 'Wrong network.' }), candidates: [payment] }
    server.use(proposed.handler, answers('get', '/admin/transactions/:id', rejected))
    const { user, unmount } = openAsStaff(path, 'see', 'pay', 'correctBalances')
    await user.click(await screen.findByRole('button', { name: 'Return the payment' }))
    expect(screen.getByText(/only to an address that the member confirmed, and there is none for/)).toBeVisible()
    unmount()
    queryClient.clear()
    const returnTo = [{ address: 'TBack' }, { address: 'TOther', memo: '7' }]
    const returns = [{ key: 'returned', state: 'done', at: '2026-03-05T14:07:00Z', note: '1 USDT to TBack by transaction cd' }]
    server.use(answers('get', '/admin/transactions/:id', { ...rejected, returnTo, returns }))
    const again = openAsStaff(path, 'see', 'pay', 'correctBalances')
    expect(await screen.findByText('1 USDT to TBack by transaction cd')).toBeVisible()
    await again.user.click(screen.getByRole('button', { name: 'Return the payment' }))
    await again.user.click(screen.getByRole('button', { name: 'Propose' }))
    expect(screen.getByText('Choose where it went')).toBeVisible()
    expect(screen.getByText('The hash of the return is required')).toBeVisible()
    expect(proposed.seen).toHaveLength(0)
    await again.user.selectOptions(screen.getByLabelText('Address, confirmed by the member'), 'TOther, memo 7')
    await again.user.type(screen.getByLabelText('Transaction hash of the return'), 'ef'.repeat(32))
    await again.user.type(screen.getByLabelText('Reason'), 'As asked')
    await again.user.click(screen.getByRole('button', { name: 'Propose' }))
    const body = { kind: 'refund', transactionId: deposit.id, arrivedTxid: 'ab12', arrivedVout: 4, amount: 250, address: 'TOther', memo: '7', txid: 'ef'.repeat(32), note: 'As asked' }
    await waitFor(() => expect(proposed.seen[0]?.body).toEqual(body))
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
