import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { formatTime } from '@/lib/dates'
import { queryClient } from '@/lib/query-client'
import { queryKeys } from '@/lib/query-keys'
import { currentPath, openAsMember } from '@/testing/render'
import { btc, own, quoteOf, quoteTerms, transaction, usdt } from '@/testing/samples'
import { answers, holds, member, records, refuses, server, terms } from '@/testing/server'

type User = ReturnType<typeof openAsMember>['user']

const openWithdrawal = (changes: Parameters<typeof openAsMember>[1] = {}, paymentMethods = [usdt, btc, own]) => {
  server.use(answers('get', '/payment-methods', { paymentMethods }))
  return openAsMember('/withdrawals', changes)
}

const press = (user: User) => user.click(screen.getByRole('button', { name: 'Request Withdrawal' }))

/** Presses the button and answers the question. */
async function submit(user: User) {
  await press(user)
  await user.click(await screen.findByRole('button', { name: /^Withdraw \$/ }))
}

describe('the withdrawal', () => {
  it('shows fee and payout while typing [D-W2] [WDR-01]', async () => {
    const { user } = openWithdrawal()
    await user.type(await screen.findByLabelText('Amount'), '100.20')
    expect(screen.getByText('Taken from your balance').nextSibling).toHaveTextContent('$100.20')
    expect(screen.getByText('Processing fee (2.5%)').nextSibling).toHaveTextContent('$2.51')
    expect(screen.getByText('You receive').nextSibling).toHaveTextContent('$97.69')
  })

  it('takes fee and limits from the terms, and holds none itself [D-B11]', async () => {
    const told = { ...terms, withdrawal: { ...terms.withdrawal, min: 75, max: 20_000.5, feePercent: 1.25, left: 300, availableAt: '2026-03-05T14:07:00Z' } }
    server.use(answers('get', '/terms', told))
    const { user } = openWithdrawal()
    expect(await screen.findByText('Remaining limit')).toBeVisible()
    const facts = [['Minimum withdrawal', '$75'], ['Maximum withdrawal', '$20,000.50'], ['Processing fee', '1.25%'], ['Limit in 24 hours', '$100,000'], ['Limit in 30 days', '$500,000']] as const
    for (const [label, value] of facts) expect(screen.getByText(label).nextSibling).toHaveTextContent(value)
    expect(screen.getByText('Remaining limit').nextSibling).toHaveTextContent(/^\$300\.00more from /)
    await user.click(screen.getByRole('button', { name: 'Use the maximum' }))
    expect(screen.getByLabelText('Amount')).toHaveValue('300.00')
    expect(screen.getByText('Processing fee (1.25%)').nextSibling).toHaveTextContent('$3.75')
  })

  it('says nothing that it does not know while the terms are away [D-B11] [D-L5]', async () => {
    server.use(refuses('get', '/terms', 422, { message: 'Not now' }))
    const { user } = openWithdrawal()
    await user.type(await screen.findByLabelText('Amount'), '100')
    await waitFor(() => expect(screen.getByText('Minimum withdrawal').nextSibling).toHaveTextContent('–'))
    expect(screen.getByText('You receive').nextSibling).toHaveTextContent('–')
    expect(screen.queryByRole('button', { name: 'Use the maximum' })).toBeNull()
    expect(screen.queryByText('Not now')).toBeNull()
  })

  it('shows a reached limit at the amount, once, and asks what is left now [D-B11] [D-L7]', async () => {
    const message = 'This is more than your withdrawal limit leaves: $50.00 is left now, and this amount from 6 March 2026, 10:00 UTC.'
    server.use(refuses('post', '/transactions/withdraw', 422, { message, code: 'LIMIT_REACHED', errors: { amount: message } }))
    const { user } = openWithdrawal()
    await user.type(await screen.findByLabelText('Amount'), '100')
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    expect(await screen.findByText('Remaining limit')).toBeVisible()
    server.use(answers('get', '/terms', { ...terms, withdrawal: { ...terms.withdrawal, left: 50 } }))
    await submit(user)
    expect(await screen.findByText(message)).toBeVisible()
    expect(screen.getByLabelText('Amount')).toHaveAccessibleDescription(expect.stringContaining(message) as unknown)
    expect(screen.getAllByText(message)).toHaveLength(1)
    await waitFor(() => expect(screen.getByText('Remaining limit').nextSibling).toHaveTextContent('$50.00'))
    expect(currentPath()).toBe('/withdrawals')
  })

  it('fills in the most there is', async () => {
    const { user } = openWithdrawal()
    await user.click(await screen.findByRole('button', { name: 'Use the maximum' }))
    expect(screen.getByLabelText('Amount')).toHaveValue('1000.00')
    expect(screen.getByText('You receive').nextSibling).toHaveTextContent('$975.00')
  })

  it('states limits, fee, times, and that it cannot be cancelled [WDR-01]', async () => {
    openWithdrawal()
    const facts = [['Minimum withdrawal', '$50'], ['Maximum withdrawal', '$50,000'], ['Processing fee', '2.5%'], ['Processing time', 'Instant - 15 minutes'], ['Business hours', '9 AM - 6 PM UTC']] as const
    await screen.findByText('Limit in 24 hours')
    for (const [label, value] of facts) expect(screen.getByText(label).nextSibling).toHaveTextContent(value)
    expect(screen.getByText('Minimum withdrawal').nextSibling).toHaveTextContent(/^\$50or your whole balance, once in 30 days$/)
    expect(screen.getByText(/A submitted withdrawal cannot be cancelled/)).toBeVisible()
  })

  it('lets the whole balance leave below the minimum, at a quote like any amount, and no part of it [D-M5] [F7]', async () => {
    const quotes = records('post', '/quotes', { quote: quoteOf({ direction: 'withdrawal', units: '50046' }) }, 201)
    const withdraw = records('post', '/transactions/withdraw', {}, 201)
    server.use(answers('get', '/quotes/terms', quoteTerms), quotes.handler, withdraw.handler)
    const { user } = openWithdrawal({ wallet: { balance: 49.99, bonus: 0, held: 0, invested: 0 } })
    await user.type(await screen.findByLabelText('Amount'), '49.98')
    await user.click(await screen.findByRole('radio', { name: /BTC/ }))
    expect(await screen.findByText('Withdrawals are from $50.00 to $50,000.00. Once in 30 days you can withdraw your whole balance of $49.99 instead.')).toBeVisible()
    expect(quotes.seen).toHaveLength(0)
    await user.click(screen.getByRole('button', { name: 'Use the maximum' }))
    await waitFor(() => expect(screen.getByText('You receive').nextSibling).toHaveTextContent('$48.74 (about 0.0005004 BTC)'))
    expect(screen.queryByText(/Withdrawals are from/)).toBeNull()
    expect(quotes.seen.map(({ body }) => body)).toEqual([{ direction: 'withdrawal', amount: 49.99, method: btc.id }])
    await user.type(screen.getByLabelText('Wallet address'), 'bc1qwdhkcanpdejjqmr0vdskcgrzw33jut3wqlwyfz')
    await submit(user)
    await waitFor(() => expect(withdraw.seen[0]?.body).toMatchObject({ amount: 49.99, quoteId: 'quote-1' }))
  })

  it('tells how long it took lately beside what is promised, or nothing [WDR-01]', async () => {
    server.use(answers('get', '/transactions/times', { times: { deposit: null, withdrawal: { median: 60, p90: 97_200 } } }))
    const { unmount } = openWithdrawal()
    expect(await screen.findByText('Time to payout in the last 24 hours: median 1 min · 90% within 1 d 3 h')).toBeVisible()
    unmount()
    for (const unknown of [answers('get', '/transactions/times', { times: { deposit: null, withdrawal: null } }), refuses('get', '/transactions/times', 422, { message: 'Not now' })]) {
      queryClient.clear()
      server.use(unknown)
      const { unmount: leave } = openWithdrawal()
      expect(await screen.findByText(/A submitted withdrawal cannot be cancelled/)).toBeVisible()
      await waitFor(() => expect(queryClient.getQueryState(queryKeys.transactionTimes)?.status).toMatch(/success|error/))
      expect(screen.queryByText(/in the last 24 hours/)).toBeNull()
      expect(screen.queryByText('Not now')).toBeNull()
      leave()
    }
  })

  it('says when it will be processed, and fills in the own address of the network [WDR-01] [D-M2]', async () => {
    const { user } = openWithdrawal()
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    const expected = [30 * 60_000, 29 * 60_000].map((ms) => formatTime(Date.now() + ms))
    const note = screen.getByText(/Withdrawal will be processed by/).textContent
    expect(expected.some((time) => note?.endsWith(time))).toBe(true)
    expect(screen.getByLabelText('Wallet address')).toHaveValue(own.address)
    await user.click(screen.getByRole('radio', { name: /BTC/ }))
    expect(screen.getByLabelText('Wallet address')).toHaveValue('')
  })

  it('needs every field, and an address of at least 10 characters [WDR-03]', async () => {
    const withdraw = records('post', '/transactions/withdraw')
    server.use(withdraw.handler)
    const { user } = openWithdrawal()
    await user.type(await screen.findByLabelText('Amount'), '100')
    await press(user)
    expect(await screen.findByText('Please fill in all required fields')).toBeVisible()
    await user.click(screen.getByRole('radio', { name: /BTC/ }))
    await user.type(screen.getByLabelText('Wallet address'), 'too-short')
    await press(user)
    expect(await screen.findByText('Please enter a valid wallet address')).toBeVisible()
    expect(withdraw.seen).toHaveLength(0)
  })

  it('sends the gross amount with address, refreshes the user and opens the list [WDR-02] [API-09] [D-W1] [D-G4]', async () => {
    const withdraw = records('post', '/transactions/withdraw', { message: 'Withdrawal requested' }, 201)
    server.use(withdraw.handler)
    const { user } = openWithdrawal()
    await user.type(await screen.findByLabelText('Amount'), '100.20')
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    await submit(user)
    await waitFor(() => expect(currentPath()).toBe('/transactions'))
    expect(withdraw.seen[0]?.body).toEqual({ amount: 100.2, method: 'pm-usdt', address: own.address })
    expect(withdraw.seen[0]?.headers.get('Idempotency-Key')).toBeTruthy()
  })

  it('asks once, and repeats what will happen in words and figures [WDR-02] [D-W2]', async () => {
    const withdraw = records('post', '/transactions/withdraw', {}, 201)
    server.use(withdraw.handler)
    const { user } = openWithdrawal()
    await user.type(await screen.findByLabelText('Amount'), '100')
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    await press(user)
    const question = within(await screen.findByRole('dialog', { name: 'Check your withdrawal' }))
    expect(question.getByText(/\$100\.00 is taken from your balance now.*You cannot cancel it after this step/)).toBeVisible()
    expect(question.getByText('You receive').nextSibling).toHaveTextContent('$97.50 in USDT')
    expect(question.getByText('Fee').nextSibling).toHaveTextContent('$2.50 (2.5%)')
    expect(question.getByText('Network').nextSibling).toHaveTextContent('USDT on TRC20')
    expect(question.getByText('To My wallet').nextSibling).toHaveTextContent(own.address)
    await user.click(question.getByRole('button', { name: 'Go back' }))
    expect(withdraw.seen).toHaveLength(0)
    await submit(user)
    await waitFor(() => expect(withdraw.seen).toHaveLength(1))
  })

  it('shows the address in groups of four to be compared, and says when it takes longer [D-M6] [R5] [U3]', async () => {
    const { user } = openWithdrawal()
    await user.type(await screen.findByLabelText('Amount'), '100')
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    expect(screen.getByText(/^This is the usual time within business hours\..*shows from when on it can be approved\.$/)).toBeVisible()
    await press(user)
    const question = within(await screen.findByRole('dialog', { name: 'Check your withdrawal' }))
    const address = question.getByText('To My wallet').nextSibling as HTMLElement
    expect(address.textContent).toBe(own.address)
    expect([...address.querySelectorAll('span > span')].map(({ textContent }) => textContent)).toEqual(own.address.match(/.{1,4}/g))
    expect(question.queryByText(/\d (AM|PM)/)).toBeNull()
  })

  it('says at each field what is missing, and what is above the balance [WDR-03] [D-B11]', async () => {
    const { user } = openWithdrawal()
    await screen.findByLabelText('Amount')
    await press(user)
    for (const words of ['Enter an amount', 'Choose a network', 'Enter a wallet address']) expect(await screen.findByText(words)).toBeVisible()
    await user.type(screen.getByLabelText('Amount'), '1000.01')
    expect(await screen.findByText('This is more than your available balance of $1,000.00.')).toBeVisible()
    await user.clear(screen.getByLabelText('Amount'))
    await user.type(screen.getByLabelText('Amount'), '20')
    expect(await screen.findByText('Withdrawals are from $50.00 to $50,000.00.')).toBeVisible()
  })

  it('offers every saved address of the network, and a new one; what is pasted is cleaned and checked [D-M2] [D-W6]', async () => {
    const second = { ...own, id: 'pm-second', address: 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE', label: 'Savings' }
    const { user } = openWithdrawal({}, [usdt, btc, own, second])
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    const picker = screen.getByLabelText('Send to')
    expect(within(picker).getAllByRole('option').map((option) => option.textContent)).toEqual([
      'New address', 'My wallet · TVj7RN…dNZS', 'Savings · TQn9Y2…bLSE',
    ])
    await user.selectOptions(picker, 'pm-second')
    const field = screen.getByLabelText('Wallet address')
    expect(field).toHaveValue(second.address)
    await user.selectOptions(picker, '')
    expect(field).toHaveValue('')
    await user.click(field)
    await user.paste(`tron:${own.address.slice(0, -1)}T`)
    expect(field).toHaveValue(`${own.address.slice(0, -1)}T`)
    expect(await screen.findByText('This address has a typing error. Copy it again from your wallet.')).toBeVisible()
  })

  it('opens the page that confirms an address of which the member has never had money [D-A4]', async () => {
    const id = 'c1a9e0d4-5d2e-4b8a-8f0e-111111111111'
    const made = transaction({ id, title: 'Withdrawal', type: 'debit', status: 'pending', needsConfirmation: true, destination: { address: own.address } })
    server.use(
      answers('post', '/transactions/withdraw', { transaction: { id, needsConfirmation: true } }, 201),
      answers('get', '/transactions/user', { transactions: [made] }),
    )
    const { user } = openWithdrawal()
    await user.type(await screen.findByLabelText('Amount'), '100')
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    await submit(user)
    await waitFor(() => expect(currentPath()).toBe(`/transactions/${id}`))
    expect(await screen.findByText('Confirm the address')).toBeVisible()
  })

  it('says "Processing withdrawal..." while busy [WDR-02] [AUTH-17]', async () => {
    const held = holds('post', '/transactions/withdraw')
    server.use(held.handler)
    const { user } = openWithdrawal()
    await user.type(await screen.findByLabelText('Amount'), '100')
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    await submit(user)
    expect(await screen.findAllByRole('button', { name: 'Processing withdrawal...' })).toHaveLength(2)
    for (const button of screen.getAllByRole('button', { name: 'Processing withdrawal...' })) expect(button).toBeDisabled()
    await held.asked
  })

  it('is refused while another is pending [WDR-04] [D-W3]', async () => {
    const withdraw = records('post', '/transactions/withdraw')
    server.use(withdraw.handler)
    const open = transaction({ title: 'Withdrawal', type: 'debit', status: 'pending' })
    server.use(answers('get', '/transactions/user', { transactions: [open] }))
    const { user } = openWithdrawal({ isWithdrawalPending: true })
    await user.type(await screen.findByLabelText('Amount'), '100')
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    await press(user)
    expect(await screen.findByText('Withdrawal pending already')).toBeVisible()
    expect(screen.getByText('Please pay the pending withdrawal fee to continue')).toBeVisible()
    // What the toast says is an option, and the page says so where it leads the eye.
    const statement = screen.getByRole('region', { name: 'Open withdrawal' })
    expect(statement).toHaveFocus()
    expect(statement).toHaveTextContent(/There is nothing you need to pay first.*You can pay it separately/)
    expect(within(statement).getByRole('link', { name: 'View the open withdrawal' })).toHaveAttribute('href', `/transactions/${open.id}`)
    expect(withdraw.seen).toHaveLength(0)
  })
})

describe('the draft of a withdrawal', () => {
  it('is kept for its member when the session runs out, and never shown to another', async () => {
    const { user, unmount } = openWithdrawal()
    await user.type(await screen.findByLabelText('Wallet address'), btc.address)
    server.use(refuses('post', '/transactions/withdraw', 401, { message: 'Your session is over' }))
    await user.type(screen.getByLabelText('Amount'), '100')
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    await submit(user)
    await waitFor(() => expect(currentPath()).toBe('/login'))
    unmount()

    queryClient.clear()
    const other = openWithdrawal({ id: '0193f1c2-7a51-4e0a-9b7a-000000000000', email: 'other@example.com' })
    expect(await screen.findByLabelText('Wallet address')).toHaveValue('')
    expect(screen.getByLabelText('Amount')).toHaveValue('')
    other.unmount()

    queryClient.clear()
    openWithdrawal({ id: member.id })
    expect(await screen.findByLabelText('Wallet address')).toHaveValue(btc.address)
    expect(screen.getByLabelText('Amount')).toHaveValue('100')
  })
})

describe('a withdrawal at a quote', () => {
  it('says about how much of the asset is received, promises nothing, and names the quote [D-Q1] [D-R17]', async () => {
    const quotes = records('post', '/quotes', { quote: quoteOf({ direction: 'withdrawal', units: '400565' }) }, 201)
    const withdrawal = records('post', '/transactions/withdraw', { transaction: { id: 'one' } }, 201)
    server.use(answers('get', '/quotes/terms', quoteTerms), quotes.handler, withdrawal.handler)
    const { user } = openWithdrawal()
    await user.type(await screen.findByLabelText('Amount'), '400')
    await user.click(await screen.findByRole('radio', { name: /BTC/ }))
    await waitFor(() => expect(screen.getByText('You receive').nextSibling).toHaveTextContent('$390.00 (about 0.004005 BTC)'))
    expect(screen.getByText(/This is an estimate: the payout is converted at the rate of the moment we pay it/)).toBeVisible()
    expect(screen.queryByRole('timer')).toBeNull()
    expect(quotes.seen.map(({ body }) => body)).toEqual([{ direction: 'withdrawal', amount: 400, method: btc.id }])
    await user.type(screen.getByLabelText('Wallet address'), 'bc1qwdhkcanpdejjqmr0vdskcgrzw33jut3wqlwyfz')
    await submit(user)
    await waitFor(() => expect(withdrawal.seen[0]?.body).toMatchObject({ amount: 400, quoteId: 'quote-1' }))
  })
})
