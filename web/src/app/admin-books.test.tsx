import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { adminPaths } from '@/features/admin/paths'
import { backOffice, base, deposit, openAsStaff, review } from '@/testing/back-office'
import { answers, records, server } from '@/testing/server'

beforeEach(() => server.use(...backOffice()))

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
