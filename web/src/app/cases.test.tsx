import { act, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { firstAnswers } from '@/content/case-answers'
import { findAnswers, help } from '@/content/help'
import { sendWaiting } from '@/features/admin/undo'
import type { Case, CaseMessage, Wallet } from '@/lib/api-types'
import { currentPath, openApp, openAsMember } from '@/testing/render'
import { trade, transaction } from '@/testing/samples'
import { answers, emptyBackOffice, member, records, refuses, server } from '@/testing/server'

const ID = '0193f1c2-7a51-4e0a-9b7a-3d1f2c4b5a61'

const sample = (changes: Partial<Case> = {}): Case => ({
  id: ID,
  number: 4711,
  topic: 'deposit',
  subject: { kind: 'payment', reference: '0xfeed' },
  state: 'open',
  createdAt: '2026-11-26T10:00:00.000Z',
  updatedAt: '2026-11-26T10:00:00.000Z',
  answerDueAt: '2026-11-27T10:00:00.000Z',
  firstAnsweredAt: null,
  complaintAt: null,
  complaintDueAt: null,
  closedAt: null,
  closedBy: null,
  messages: 1,
  ...changes,
})

const written: CaseMessage = { number: 1, author: 'member', text: 'Where is it?\nI paid.', at: '2026-11-26T10:00:00.000Z' }

describe('the cases of a member', () => {
  it('are opened about what led there, once, and are shown then [D-M8] [D-G4]', async () => {
    const opened = records('post', '/cases', { case: sample() }, 201)
    server.use(opened.handler, answers('get', `/cases/${ID}`, { case: sample(), messages: [written] }))
    const { user } = openAsMember('/cases/new?topic=deposit&kind=payment&reference=0xfeed')
    expect(await screen.findByText('About: Payment 0xfeed')).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Open the case' }))
    expect(await screen.findByText('Write what happened')).toBeVisible()
    expect(opened.seen).toHaveLength(0)
    await user.type(screen.getByLabelText('What happened?'), 'Where is it?')
    await user.selectOptions(screen.getByLabelText('Is this a complaint?'), 'yes')
    await user.click(screen.getByRole('button', { name: 'Open the case' }))
    await waitFor(() => expect(currentPath()).toBe(`/cases/${ID}`))
    expect(opened.seen[0]?.body).toEqual({ topic: 'deposit', subjectKind: 'payment', reference: '0xfeed', complaint: true, text: 'Where is it?' })
    expect(opened.seen[0]?.headers.get('idempotency-key')).toBeTruthy()
    expect(await screen.findByText(/Where is it\?\s+I paid\./)).toBeVisible()
    expect(screen.getByText('Answer by')).toBeVisible()
  })

  it('say what is wrong where it is wrong [D-M8] [D-L5]', async () => {
    server.use(refuses('post', '/cases', 409, { code: 'TOO_MANY_CASES', message: 'You have five cases that are not closed; write in one of them, or close one first' }))
    const { user } = openAsMember('/cases/new')
    await user.selectOptions(await screen.findByLabelText('Topic'), 'other')
    await user.type(screen.getByLabelText('What happened?'), 'A sixth one')
    await user.click(screen.getByRole('button', { name: 'Open the case' }))
    expect(await screen.findByText('You have five cases that are not closed; write in one of them, or close one first')).toBeVisible()
  })

  it('are listed, written in and closed [D-M8]', async () => {
    server.use(answers('get', '/cases', { cases: [sample({ state: 'waiting', answerDueAt: null })] }))
    const answered: CaseMessage = { number: 2, author: 'staff', text: 'It is on its way.', at: '2026-11-26T12:00:00.000Z' }
    server.use(answers('get', `/cases/${ID}`, { case: sample({ state: 'waiting', answerDueAt: null, messages: 2 }), messages: [written, answered] }))
    const sent = records('post', `/cases/${ID}/messages`, { case: sample() }, 201)
    const closed = records('post', `/cases/${ID}/close`, { case: sample() })
    server.use(sent.handler, closed.handler)
    const { user } = openAsMember('/cases')
    await user.click(await screen.findByRole('link', { name: 'Case 4711: Deposit' }))
    const messages = within(await screen.findByRole('list', { name: 'Messages' }))
    expect(messages.getByText('It is on its way.')).toBeVisible()
    expect(messages.getByText('our team')).toBeVisible()
    await user.type(screen.getByLabelText('Your message'), ' Thank you ')
    await user.click(screen.getByRole('button', { name: 'Send message' }))
    await waitFor(() => expect(sent.seen.map(({ body }) => body)).toEqual([{ text: 'Thank you' }]))
    expect(screen.getByLabelText('Your message')).toHaveValue('')
    await user.click(screen.getByRole('button', { name: 'Close this case' }))
    await waitFor(() => expect(closed.seen).toHaveLength(1))
  })

  it('take a picture or PDF with a message, and show it to both sides [D-M8]', async () => {
    const file = { url: '/v1/files/cases/a.pdf?owner=o', contentType: 'application/pdf', bytes: 2048 }
    server.use(answers('get', `/cases/${ID}`, { case: sample(), messages: [{ ...written, file }] }))
    const sent = records('post', `/cases/${ID}/messages`, { case: sample() }, 201)
    server.use(sent.handler)
    const { user } = openAsMember(`/cases/${ID}`)
    expect(await screen.findByRole('link', { name: 'PDF of message 1, 2 KB' })).toHaveAttribute('href', file.url)
    await user.click(screen.getByRole('button', { name: 'Add a picture or PDF' }))
    await user.upload(await screen.findByLabelText('Picture or PDF (optional)'), new File(['%PDF-1.7'], 'proof.pdf', { type: 'application/pdf' }))
    expect(await screen.findByText('proof.pdf')).toBeVisible()
    await user.type(screen.getByLabelText('Your message'), 'Here it is')
    await user.click(screen.getByRole('button', { name: 'Send message' }))
    await waitFor(() => expect(sent.seen).toHaveLength(1))
    expect(sent.seen[0]?.body).toEqual({ text: 'Here it is', file: expect.stringMatching(/^data:application\/pdf;base64,/) as string })
    expect(screen.queryByText('proof.pdf')).toBeNull()
  })

  it('are empty at first, and lead to the help [D-M8]', async () => {
    openAsMember('/cases')
    expect(await screen.findByText('No cases')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Read the help first' })).toHaveAttribute('href', '/help')
  })

  const deposit = transaction({ kind: 'deposit' })
  const hold = { id: 'h1', amount: 40, reason: 'We are checking a payment.', createdAt: '2026-11-26T10:00:00.000Z' }
  const wallet = { balance: 1000, bonus: 0, held: 0, invested: 0, onHold: 40, holds: [hold] } as unknown as Wallet

  it.each([
    ['a transaction', `/transactions/${deposit.id}`, {}, /^Open a case$/, `topic=deposit&kind=transaction&reference=${deposit.id}`],
    ['a trade', '/investments', {}, /^Something wrong\?/, `topic=investment&kind=trade&reference=${trade().id}`],
    ['a hold', '/dashboard', { wallet }, /^Ask why/, 'topic=account&kind=hold&reference=h1'],
    ['a freeze', '/dashboard', { isFrozen: true }, /^open a case$/, 'topic=account&kind=freeze&reference='],
  ])('begin at %s, with the reference [D-M8]', async (_what, path, changes, name, query) => {
    server.use(
      answers('get', '/transactions/user', { transactions: [deposit] }),
      answers('get', `/transactions/${deposit.id}`, { transaction: deposit }),
      answers('get', '/trades', { trades: [trade()] }),
    )
    openAsMember(path, changes)
    const [link] = await screen.findAllByRole('link', { name })
    expect(link).toHaveAttribute('href', `/cases/new?${query}`)
  })
})

describe('the help', () => {
  it('has an answer with an id of its own to every question [D-M8]', () => {
    const ids = help.flatMap(({ answers }) => answers.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
    expect(findAnswers('')).toBe(help)
    expect(findAnswers('EXIT fee').map(({ id }) => id)).toEqual(['fees'])
    expect(findAnswers('no such words')).toEqual([])
  })

  it('is open to visitors and searched by words [D-M8]', async () => {
    const { user } = openApp('/help')
    await user.type(await screen.findByLabelText('Search the answers'), 'cancel')
    expect(screen.getByText('Can I cancel a withdrawal?')).toBeVisible()
    expect(screen.queryByText('How do I deposit?')).toBeNull()
    expect(screen.queryByText('Where is my payment?')).toBeNull()
    await user.type(screen.getByLabelText('Search the answers'), 'xyz')
    expect(screen.getByText('No answer has these words')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Log in to ask' })).toHaveAttribute('href', '/login')
  })

  it('finds a payment of a member by its hash, or becomes a case about it [D-M8]', async () => {
    const hash = 'ab'.repeat(32)
    const asked = records('get', '/transactions/user', { transactions: [] })
    server.use(asked.handler)
    const { user } = openAsMember('/help')
    await user.click(await screen.findByRole('button', { name: 'Find the payment' }))
    expect(screen.getByText('Enter the hash or the day of the payment')).toBeVisible()
    await user.type(screen.getByLabelText('Transaction hash'), hash)
    await user.click(screen.getByRole('button', { name: 'Find the payment' }))
    expect(await screen.findByText(/None of your transactions has this payment/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Ask us to look for it' })).toHaveAttribute('href', `/cases/new?topic=deposit&kind=payment&reference=${hash}`)
  })
})

describe('the inbox of staff', () => {
  const staffCase = (changes: object = {}) => ({ ...sample(), memberId: 'm1', memberName: 'Amara Lindqvist', ownerId: null, ...changes })
  const me = (permissions: string[]) =>
    answers('get', '/admin/me', {
      user: { id: member.id, name: 'Rae', email: 'rae@solvane.test', role: 'reviewer' },
      totp: { required: true, enrolled: true, passkeys: 0, recoveryCodesLeft: 10 },
      stepUpUntil: null,
      permissions,
    })
  const openAsStaff = (path: string, ...permissions: string[]) => {
    server.use(...emptyBackOffice(), me(['see', ...permissions]))
    return openAsMember(path, { role: 'reviewer', wallet: null })
  }

  it('shows what waits with age, owner and target [D-M8]', async () => {
    const late = staffCase({ id: 'late', number: 1, complaintAt: '2026-01-01T10:00:00.000Z', complaintDueAt: '2026-01-15T10:00:00.000Z', ownerId: member.id })
    openAsStaff('/admin/cases', 'answerCases')
    server.use(answers('get', '/admin/cases', { cases: [late, staffCase({ answerDueAt: '2999-01-01T10:00:00.000Z' })] }))
    const row = async (name: string) => (await screen.findByRole('link', { name })).closest('li')
    expect(await row('1 · Deposit')).toHaveTextContent(/you.*Late since .*Complaint/)
    expect(await row('4711 · Deposit')).toHaveTextContent(/No owner.*Due/)
  })

  it('is taken, which can be undone, and answered with what was read, from a first answer [D-M8] [R9]', async () => {
    openAsStaff(`/admin/cases/${ID}`, 'answerCases')
    const answer = records('post', `/admin/cases/${ID}/answer`, { case: staffCase() })
    const claim = records('put', `/admin/cases/${ID}/claim`, { case: staffCase() })
    server.use(answers('get', `/admin/cases/${ID}`, { case: staffCase(), messages: [written] }), answer.handler, claim.handler)
    const user = (await import('@testing-library/user-event')).default.setup()
    // Shown at once, and sent after the time in which it can be undone.
    await user.click(await screen.findByRole('button', { name: 'Take this case' }))
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    await user.click(screen.getByRole('button', { name: 'Take this case' }))
    expect(screen.getByText('Owner').nextSibling).toHaveTextContent('you')
    expect(claim.seen).toHaveLength(0)
    await act(() => sendWaiting())
    expect(claim.seen).toHaveLength(1)
    expect(screen.queryByRole('button', { name: 'Close the case' })).toBeNull()
    const [first] = firstAnswers
    await user.selectOptions(screen.getByLabelText(/Begin with/), first?.title ?? '')
    expect(screen.getByLabelText('Answer to the member')).toHaveValue(first?.text)
    await user.click(screen.getByRole('button', { name: 'Send the answer' }))
    await waitFor(() => expect(answer.seen.map(({ body }) => body)).toEqual([{ text: first?.text, seen: 1 }]))
  })

  it('is handed to a colleague, which can be undone [D-M8] [R9]', async () => {
    openAsStaff(`/admin/cases/${ID}`, 'answerCases')
    const owner = records('put', `/admin/cases/${ID}/owner`, { case: staffCase() })
    const colleagues = [{ id: 'one', name: 'Tove Treasurer' }, { id: 'two', name: null }]
    server.use(
      answers('get', `/admin/cases/${ID}`, { case: staffCase({ ownerId: member.id }), messages: [written] }),
      answers('get', '/admin/cases/colleagues', { colleagues }),
      owner.handler,
    )
    const user = (await import('@testing-library/user-event')).default.setup()
    const hand = async (name: RegExp) => {
      await user.click(await screen.findByRole('button', { name: 'Hand over' }))
      await user.click(await screen.findByRole('button', { name }))
    }
    await hand(/Colleague .*two/)
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(screen.getByText('Owner').nextSibling).toHaveTextContent('you')
    await hand(/Tove/)
    expect(screen.getByText('Owner').nextSibling).toHaveTextContent('Tove Treasurer')
    expect(screen.getByText('Owner').nextSibling).toHaveTextContent('handed over by you')
    expect(screen.getByRole('button', { name: 'Take this case' })).toBeVisible()
    expect(owner.seen).toHaveLength(0)
    await act(() => sendWaiting())
    expect(owner.seen.map(({ body }) => body)).toEqual([{ ownerId: 'one' }])
  })

  it('tells the new owner who handed a case over, and how many wait for them [D-M8] [R9]', async () => {
    const mine = staffCase({ ownerId: member.id, ownerName: 'Rae', assignedBy: 'one', assignedByName: 'Tove Treasurer' })
    const answered = staffCase({ id: 'answered', number: 2, ownerId: member.id, state: 'waiting', answerDueAt: null })
    openAsStaff('/admin/cases', 'answerCases')
    server.use(answers('get', '/admin/cases', { cases: [mine, answered] }), answers('get', `/admin/cases/${ID}`, { case: mine, messages: [written] }))
    const link = await screen.findByRole('link', { name: '4711 · Deposit' })
    expect(link.closest('li')).toHaveTextContent('Handed to you by Tove Treasurer')
    expect(screen.getAllByText(/^Handed to you/)).toHaveLength(1)
    expect(await screen.findByRole('link', { name: /^Cases\s*1\s*waiting$/ })).toBeVisible()
    expect(screen.getByLabelText('Mine (1)')).toBeVisible()
    const user = (await import('@testing-library/user-event')).default.setup()
    await user.click(link)
    expect((await screen.findByText('Owner')).nextSibling).toHaveTextContent('you, handed over by Tove Treasurer')
  })

  it('is read by those who may not answer [D-O1] [D-M8]', async () => {
    openAsStaff(`/admin/cases/${ID}`)
    server.use(answers('get', `/admin/cases/${ID}`, { case: staffCase(), messages: [written] }))
    expect(await screen.findByText(/I paid\./)).toBeVisible()
    expect(screen.queryByLabelText('Answer to the member')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Take this case' })).toBeNull()
  })
})
