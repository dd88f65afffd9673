import { act, screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { backOffice, base, deposit, ME, openAsStaff, review } from '@/testing/back-office'
import { sendWaiting } from '@/features/admin/undo'
import { currentPath } from '@/testing/render'
import { answers, records, server } from '@/testing/server'

beforeEach(() => server.use(...backOffice()))

describe('the queue', () => {
  it('tells how long it took in the last 24 hours, where anything was handled [D-O2]', async () => {
    openAsStaff('/admin')
    const counts = within(await screen.findByRole('navigation', { name: 'Queue' }))
    expect(counts.getByRole('link', { name: /^Deposit/ })).toHaveTextContent('median 12 min · 90% within 40 min')
    expect(counts.getByRole('link', { name: /^Payout/ })).not.toHaveTextContent('median')
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
      answers('get', '/admin/queue/transactions', { transactions: ids.map((id) => ({ ...deposit, id, reference: `TNX-${id}` })) }),
      verdicts,
      http.post(`${base}/admin/transactions/:id/approve`, async ({ params, request }) => {
        sent.push({ id: String(params['id']), key: request.headers.get('Idempotency-Key'), body: await request.json() })
        return params['id'] === 'one'
          ? HttpResponse.json({ success: false, message: 'The payment on the chain has changed since you looked at it. Reload and decide on what it is now.', code: 'STALE_EVIDENCE' }, { status: 409 })
          : HttpResponse.json({ success: true, transaction: {} })
      }),
    )
    const { user } = openAsStaff('/admin', 'see', 'decide')
    await user.click(await screen.findByRole('button', { name: 'Approve all 2 proven' }))
    const dialog = within(screen.getByRole('dialog'))
    expect(dialog.getAllByText('ab12, output 1')).toHaveLength(1)
    await user.click(dialog.getByRole('button', { name: 'Approve 2 deposits' }))
    expect(await dialog.findByText('The payment on the chain has changed since you looked at it. Reload and decide on what it is now.')).toBeVisible()
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

describe('the place in the queue', () => {
  const ids = ['one', 'two', 'three', 'four']
  const claimed: string[] = []
  const verdict = (transactionId: string) => ({ transactionId, revision: 3, checks: 8, concerns: transactionId === 'two' ? 0 : 1, chainState: 'final', blockers: [] })

  beforeEach(() => {
    claimed.length = 0
    server.use(
      answers('get', '/admin/queue/transactions', {
        transactions: ids.map((id) => ({ ...deposit, id, reference: `TNX-${id}`, user: { ...deposit.user, name: `Of ${id}` }, method: { ...deposit.method, network: id === 'four' ? 'Bitcoin' : 'TRC20' } })),
      }),
      answers('get', '/admin/queue/verdicts', { complete: true, verdicts: ids.map(verdict) }),
      http.get(`${base}/admin/transactions/:id`, ({ params }) => HttpResponse.json({ success: true, ...review({ id: params['id'], reference: `TNX-${String(params['id'])}` }) })),
      http.put(`${base}/admin/transactions/:id/claim`, ({ params }) => (claimed.push(String(params['id'])), HttpResponse.json({ success: true, message: '', claimedBy: ME }))),
    )
  })
  afterEach(async () => {
    await act(() => sendWaiting())
    vi.unstubAllGlobals()
  })

  const row = (id: string) => screen.findByRole('link', { name: new RegExp(`Of ${id}`) })

  it('is that of the row beside the list, however it was opened, also after a decision [R9]', async () => {
    vi.stubGlobal('matchMedia', (media: string) => ({ matches: media.includes('1440px'), media, addEventListener: () => undefined, removeEventListener: () => undefined }))
    server.use(answers('post', '/admin/transactions/:id/reject', { transaction: {} }))
    const { user } = openAsStaff('/admin', 'see', 'decide')
    await user.click(await row('two'))
    await screen.findByRole('region', { name: 'TNX-two' })
    await user.keyboard('r')
    await user.click(await screen.findByRole('radio', { name: /Not received/ }))
    await user.click(screen.getByRole('button', { name: /^Reject/ }))
    await screen.findByRole('region', { name: 'TNX-three' })
    await user.keyboard('c')
    await act(() => sendWaiting())
    expect(claimed).toEqual(['three'])
    await user.keyboard('j')
    await screen.findByRole('region', { name: 'TNX-four' })
    await user.click(screen.getByRole('button', { name: 'Close' }))
    await user.keyboard('k')
    expect(await row('three')).toHaveFocus()
  })

  it('stays in the view and on the network that the address names, on the page of a transaction, too [R9]', async () => {
    const { user } = openAsStaff('/admin?kind=deposit&view=attention&network=TRC20', 'see', 'decide')
    await user.click(await row('one'))
    await screen.findByRole('heading', { level: 1, name: 'TNX-one' })
    expect(currentPath()).toBe('/admin/review/one?kind=deposit&view=attention&network=TRC20')
    expect(await screen.findByText('1 of 2')).toBeVisible()
    await user.keyboard('c')
    expect(await screen.findByText('Claimed by you')).toBeVisible()
    await act(() => sendWaiting())
    expect(claimed).toEqual(['one'])
    await user.keyboard('j')
    await screen.findByRole('heading', { level: 1, name: 'TNX-three' })
    expect(currentPath()).toBe('/admin/review/three?kind=deposit&view=attention&network=TRC20')
    await user.keyboard('q')
    await waitFor(() => expect(currentPath()).toBe('/admin?kind=deposit&view=attention&network=TRC20'))
    expect(within(screen.getByRole('navigation', { name: 'Queue' })).getByRole('link', { name: /^Awaiting decision/ })).toHaveAttribute('href', '/admin?view=attention&network=TRC20')
  })
})
