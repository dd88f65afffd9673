import { screen, waitFor, within } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { describe, expect, it, vi } from 'vitest'
import { formatDateTime, formatTime } from '@/lib/dates'
import { queryClient } from '@/lib/query-client'
import { queryKeys } from '@/lib/query-keys'
import { currentPath, openAsMember } from '@/testing/render'
import { btc, own, proof, quoteOf, quoteTerms, usdt } from '@/testing/samples'
import { answers, holds, records, refuses, server } from '@/testing/server'

type User = ReturnType<typeof openAsMember>['user']

const openDeposit = (path = '/deposits') => {
  server.use(answers('get', '/payment-methods', { paymentMethods: [usdt, btc, own] }))
  return openAsMember(path)
}

async function fill(user: User, amount = '250.50') {
  await user.type(await screen.findByLabelText('Amount'), amount)
  await user.click(await screen.findByRole('radio', { name: /USDT/ }))
  await user.upload(screen.getByLabelText('Proof of payment'), proof())
}

const submit = (user: User) => user.click(screen.getByRole('button', { name: 'I have made payment' }))

describe('the deposit', () => {
  it('shows platform methods only, with currency and network [DEP-02] [D-M2]', async () => {
    openDeposit()
    const grid = within(await screen.findByRole('group', { name: 'Payment method' }))
    expect(await grid.findByRole('radio', { name: /USDT\s*TRC20/ })).toBeInTheDocument()
    expect(grid.getAllByRole('radio')).toHaveLength(2)
  })

  it('after a choice shows the address and when it will be confirmed [DEP-03]', async () => {
    const { user } = openDeposit()
    await user.click(await screen.findByRole('radio', { name: /BTC/ }))
    const expected = [15 * 60_000, 15 * 60_000 - 60_000].map((ms) => formatTime(Date.now() + ms))
    expect(await screen.findByText(btc.address)).toBeVisible()
    const note = screen.getByText(/Transaction will be confirmed by/).textContent
    expect(expected.some((time) => note?.endsWith(time))).toBe(true)
    expect(await screen.findByRole('img', { name: 'QR code of the BTC address' })).toBeInTheDocument()
  })

  it('copies the address and says how it went [DEP-03]', async () => {
    const { user } = openDeposit()
    await user.click(await screen.findByRole('radio', { name: /BTC/ }))
    await user.click(screen.getByRole('button', { name: 'Copy address' }))
    expect(await screen.findByText('Address copied to clipboard!')).toBeVisible()
    expect(await navigator.clipboard.readText()).toBe(btc.address)
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'))
    await user.click(screen.getByRole('button', { name: 'Copy address' }))
    expect(await screen.findByText('Failed to copy address')).toBeVisible()
  })

  it('states its limits [DEP-04]', async () => {
    openDeposit()
    const minimum = await screen.findByText('Minimum deposit')
    await waitFor(() => expect(minimum.nextSibling).toHaveTextContent('$100'))
    expect(screen.getByText('Maximum deposit').nextSibling).toHaveTextContent('$100,000')
  })

  it('tells how long it took lately beside what is promised, or nothing [DEP-03]', async () => {
    server.use(answers('get', '/transactions/times', { times: { deposit: { median: 700, p90: 5_400 }, withdrawal: null } }))
    const { unmount } = openDeposit()
    expect(await screen.findByText('Time to review in the last 24 hours: median 11 min · 90% within 1 h 30 min')).toBeVisible()
    unmount()
    for (const unknown of [answers('get', '/transactions/times', { times: { deposit: null, withdrawal: null } }), refuses('get', '/transactions/times', 422, { message: 'Not now' })]) {
      queryClient.clear()
      server.use(unknown)
      const { unmount: leave } = openDeposit()
      expect(await screen.findByText(/Crypto sent on another network/)).toBeVisible()
      await waitFor(() => expect(queryClient.getQueryState(queryKeys.transactionTimes)?.status).toMatch(/success|error/))
      expect(screen.queryByText(/in the last 24 hours/)).toBeNull()
      expect(screen.queryByText('Not now')).toBeNull()
      leave()
    }
  })

  it('shows name, size, type and last change of the proof [DEP-05]', async () => {
    const { user } = openDeposit()
    const file = proof()
    await user.upload(await screen.findByLabelText('Proof of payment'), file)
    expect(await screen.findByText('Proof of payment uploaded successfully!')).toBeVisible()
    expect(screen.getByText('payment.png')).toBeVisible()
    expect(screen.getByText('8 B · image/png')).toBeVisible()
    expect(screen.getByText(`Last modified ${formatDateTime(file.lastModified)}`)).toBeVisible()
  })

  it('refuses what is neither image nor PDF, and what is too large [DEP-05]', async () => {
    const { user } = openDeposit()
    const input = await screen.findByLabelText<HTMLInputElement>('Proof of payment')
    input.removeAttribute('accept')
    await user.upload(input, new File(['x'], 'a.txt', { type: 'text/plain' }))
    expect(await screen.findByText('Choose an image or a PDF')).toBeVisible()
    const large = new File(['%PDF-1.7', new Uint8Array(5 * 1024 * 1024)], 'big.pdf', { type: 'application/pdf' })
    await user.upload(screen.getByLabelText('Proof of payment'), large)
    expect(await screen.findByText('The file is larger than 5 MB')).toBeVisible()
  })

  it('needs amount, method and proof [DEP-07]', async () => {
    const deposit = records('post', '/transactions/deposit')
    server.use(deposit.handler)
    const { user } = openDeposit()
    await user.type(await screen.findByLabelText('Amount'), '100')
    await submit(user)
    expect(await screen.findByText('Please fill in all required fields')).toBeVisible()
    expect(deposit.seen).toHaveLength(0)
  })

  it('says at each field what is missing, in words of ours [DEP-07]', async () => {
    const { user } = openDeposit()
    await screen.findByLabelText('Amount')
    await submit(user)
    expect(await screen.findByText('Please fill in all required fields')).toBeVisible()
    for (const words of ['Enter an amount', 'Choose a method', 'Add the proof of payment']) expect(screen.getByText(words)).toBeVisible()
    expect(screen.queryByText(/invalid input/i)).toBeNull()
    expect(screen.getByLabelText('Amount')).toHaveAccessibleDescription('Enter an amount')
    expect(screen.getByRole('group', { name: 'Payment method' })).toHaveAccessibleDescription('Choose a method')
  })

  it('says while typing that the amount is outside the limits, and shows no address for it [DEP-04] [D-B11]', async () => {
    const { user } = openDeposit()
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    expect(await screen.findByText(usdt.address)).toBeVisible()
    await user.type(screen.getByLabelText('Amount'), '20')
    expect(await screen.findByText('Deposits are from $100.00 to $100,000.00.')).toBeVisible()
    expect(screen.queryByText(usdt.address)).toBeNull()
    expect(screen.getByText('Do not send anything yet')).toBeVisible()
    await user.type(screen.getByLabelText('Amount'), '0,50')
    expect(await screen.findByText(usdt.address)).toBeVisible()
    await waitFor(() => expect(screen.queryByText(/^Deposits are from/)).toBeNull())
  })

  it('takes the hash out of an explorer link that is pasted [D-N1]', async () => {
    const { user } = openDeposit()
    await user.click(await screen.findByLabelText(/^Transaction hash/))
    await user.paste(`https://mempool.space/tx/${'a1b2c3d4'.repeat(8)}`)
    expect(screen.getByLabelText(/^Transaction hash/)).toHaveValue('a1b2c3d4'.repeat(8))
  })

  it('says when the amount is none, and sends nothing [D-G1]', async () => {
    const deposit = records('post', '/transactions/deposit')
    server.use(deposit.handler)
    const { user } = openDeposit()
    await fill(user, '12.3456')
    await submit(user)
    expect(await screen.findByText('Enter an amount like 250.00')).toBeVisible()
    expect(deposit.seen).toHaveLength(0)
  })

  it('sends amount, method as shown, proof and type once, refreshes the list and opens it [DEP-01] [D-D3] [DEP-06] [API-08] [D-G4]', async () => {
    const deposit = records('post', '/transactions/deposit', { message: 'Deposit received' }, 201)
    server.use(deposit.handler)
    const { user } = openDeposit()
    await fill(user)
    await submit(user)
    await waitFor(() => expect(currentPath()).toBe('/transactions'))
    expect(await screen.findByText('Deposit received')).toBeVisible()
    expect(deposit.seen).toHaveLength(1)
    expect(deposit.seen[0]?.body).toEqual({
      amount: 250.5, method: 'pm-usdt', methodVersion: 1, type: 'deposit', receipt: expect.stringMatching(/^data:image\/png;base64,/) as unknown,
    })
    expect(deposit.seen[0]?.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f-]{36}$/)
    expect(deposit.seen[0]?.headers.get('Authorization')).toMatch(/^Bearer /)
  })

  it('says "Confirming payment..." and is disabled while busy [DEP-06] [AUTH-17]', async () => {
    const held = holds('post', '/transactions/deposit')
    server.use(held.handler)
    const { user } = openDeposit()
    await fill(user)
    await submit(user)
    expect(await screen.findByRole('button', { name: 'Confirming payment...' })).toBeDisabled()
    await held.asked
  })

  it('repeats an unanswered submission with the same key [D-G4]', async () => {
    const keys: (string | null)[] = []
    server.use(
      http.post('*/v1/transactions/deposit', ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'))
        return keys.length === 1 ? HttpResponse.error() : HttpResponse.json({ success: true, message: 'ok' }, { status: 201 })
      }),
    )
    const { user } = openDeposit()
    await fill(user)
    await submit(user)
    await screen.findByText('Network Error')
    await submit(user)
    await waitFor(() => expect(currentPath()).toBe('/transactions'))
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1])
  })

  it('asks again by itself while the server is still at work on the same key [D-G4]', async () => {
    const keys: (string | null)[] = []
    server.use(
      http.post('*/v1/transactions/deposit', ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'))
        return keys.length === 1
          ? HttpResponse.json({ success: false, message: 'Still processed', code: 'IDEMPOTENCY_KEY_IN_FLIGHT' }, { status: 409 })
          : HttpResponse.json({ success: true, message: 'Deposit received' }, { status: 201 })
      }),
    )
    const { user } = openDeposit()
    await fill(user)
    await submit(user)
    await waitFor(() => expect(currentPath()).toBe('/transactions'))
    expect(keys).toEqual([keys[0], keys[0]])
    expect(screen.queryByText('Still processed')).not.toBeInTheDocument()
  })

  it("shows the server's field error under the amount [MSG-03]", async () => {
    server.use(refuses('post', '/transactions/deposit', 422, { message: 'Check the amount', errors: { amount: 'The minimum is $100.00' } }))
    const { user } = openDeposit()
    await fill(user, '5')
    await submit(user)
    expect(await screen.findByText('The minimum is $100.00')).toBeVisible()
    expect(currentPath()).toBe('/deposits')
  })

  it('takes type and amount from the address for the course [DEP-01] [CRS-01]', async () => {
    const deposit = records('post', '/transactions/deposit', {}, 201)
    server.use(deposit.handler)
    const { user } = openDeposit('/deposits?type=COURSE&amount=87')
    expect(await screen.findByLabelText('Amount')).toHaveValue('87')
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    await user.upload(screen.getByLabelText('Proof of payment'), proof())
    await submit(user)
    await waitFor(() => expect(deposit.seen[0]?.body).toMatchObject({ amount: 87, type: 'course' }))
  })

  it.each(['/deposits?type=course', '/deposits?type=course&amount=5'])('knows the price of the course at %s [DEP-01] [CRS-01] [D-D2]', async (path) => {
    const deposit = records('post', '/transactions/deposit', {}, 201)
    server.use(deposit.handler)
    const { user } = openDeposit(path)
    await waitFor(() => expect(screen.getByLabelText('Amount')).toHaveValue('87'))
    await user.click(await screen.findByRole('radio', { name: /USDT/ }))
    await user.upload(screen.getByLabelText('Proof of payment'), proof())
    await submit(user)
    await waitFor(() => expect(deposit.seen[0]?.body).toMatchObject({ amount: 87, type: 'course' }))
  })

  it('lets the amount be typed where the price of the course is not known', async () => {
    server.use(refuses('get', '/courses', 403, { message: 'Not now' }))
    const { user } = openDeposit('/deposits?type=course')
    await user.type(await screen.findByLabelText('Amount'), '87')
    expect(screen.getByLabelText('Amount')).toHaveValue('87')
  })

  it('keeps what was typed across a reload, with the time of its confirmation [DEP-03]', async () => {
    const { user, unmount } = openDeposit()
    await user.type(await screen.findByLabelText('Amount'), '321')
    await user.click(await screen.findByRole('radio', { name: /BTC/ }))
    unmount()
    openDeposit()
    expect(await screen.findByLabelText('Amount')).toHaveValue('321')
    expect(await screen.findByRole('radio', { name: /BTC/ })).toBeChecked()
    expect(screen.getByText(btc.address)).toBeVisible()
    expect(screen.getByText(/Transaction will be confirmed by/)).toBeVisible()
  })
})

describe('a deposit at a quote', () => {
  const quoted = (life = 900) => {
    const quotes = records('post', '/quotes', { quote: quoteOf({ direction: 'deposit', life }) }, 201)
    server.use(answers('get', '/quotes/terms', quoteTerms), quotes.handler)
    return quotes
  }

  it('says exactly how much to send, to copy and as a QR code, with the rate and how long it is locked [D-Q1]', async () => {
    const quotes = quoted()
    const { user } = openDeposit()
    await user.type(await screen.findByLabelText('Amount'), '500')
    await user.click(await screen.findByRole('radio', { name: /BTC/ }))
    expect(await screen.findByText('0.00513809 BTC')).toBeVisible()
    expect(await screen.findByRole('img', { name: 'QR code of the BTC payment' })).toBeInTheDocument()
    expect(screen.getByText(/Rate: 1 BTC/)).toHaveTextContent(/^Rate: 1 BTC = \$97,312\.45 \(spread 0\.5%\), Kraken, Coinbase, /)
    expect(screen.getByRole('timer')).toHaveTextContent(/^1[45]:\d\d$/)
    await user.click(screen.getByRole('button', { name: 'Copy amount' }))
    expect(await navigator.clipboard.readText()).toBe('0.00513809')
    // Typed digit by digit, asked for once.
    expect(quotes.seen.map(({ body }) => body)).toEqual([{ direction: 'deposit', amount: 500, method: btc.id }])
    expect(quotes.seen[0]?.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('names its quote, and asks for a new one where that was used or has expired [D-Q1] [D-R17]', async () => {
    const quotes = quoted()
    server.use(refuses('post', '/transactions/deposit', 409, { message: 'This quote has expired. Please get a new one.', code: 'QUOTE_EXPIRED' }))
    const { user } = openDeposit()
    await user.type(await screen.findByLabelText('Amount'), '500')
    await user.click(await screen.findByRole('radio', { name: /BTC/ }))
    await user.upload(screen.getByLabelText('Proof of payment'), proof())
    await screen.findByText('0.00513809 BTC')
    await submit(user)
    expect(await screen.findByText('This quote has expired. Please get a new one.')).toBeVisible()
    await waitFor(() => expect(quotes.seen).toHaveLength(2))
    await screen.findByText('0.00513809 BTC')
    const deposit = records('post', '/transactions/deposit', {}, 201)
    server.use(deposit.handler)
    await submit(user)
    await waitFor(() => expect(deposit.seen[0]?.body).toMatchObject({ amount: 500, method: btc.id, methodVersion: 1, quoteId: 'quote-1' }))
  })

  it('after its life is offered anew, and the proof of what was sent in time still names it [D-Q1] [F19]', async () => {
    quoted(0.5)
    const deposit = records('post', '/transactions/deposit', {}, 201)
    server.use(deposit.handler)
    const { user } = openDeposit()
    await user.type(await screen.findByLabelText('Amount'), '500')
    await user.click(await screen.findByRole('radio', { name: /BTC/ }))
    await user.upload(screen.getByLabelText('Proof of payment'), proof())
    expect(await screen.findByText(/This rate has expired/, undefined, { timeout: 5_000 })).toBeVisible()
    expect(screen.queryByText('0.00513809 BTC')).toBeNull()
    expect(screen.getByText(/^Send BTC on/)).toBeVisible()
    await submit(user)
    await waitFor(() => expect(deposit.seen[0]?.body).toMatchObject({ amount: 500, quoteId: 'quote-1', quoteMayHaveEnded: true }))
  })

  it('is offered anew after its life [D-Q1]', async () => {
    const quotes = quoted(0.5)
    const { user } = openDeposit()
    await user.type(await screen.findByLabelText('Amount'), '500')
    await user.click(await screen.findByRole('radio', { name: /BTC/ }))
    expect(await screen.findByText(/This rate has expired/, undefined, { timeout: 5_000 })).toBeVisible()
    server.use(answers('post', '/quotes', { quote: quoteOf({ direction: 'deposit', units: '513810' }) }, 201))
    await user.click(screen.getByRole('button', { name: 'Get a new rate' }))
    expect(await screen.findByText('0.0051381 BTC')).toBeVisible()
    expect(quotes.seen).toHaveLength(1)
  })

  it('is as it was where there is no rate [D-Q2]', async () => {
    const quotes = quoted()
    server.use(answers('get', '/quotes/terms', { ...quoteTerms, assets: quoteTerms.assets.map((asset) => ({ ...asset, available: false })) }))
    const { user } = openDeposit()
    await user.type(await screen.findByLabelText('Amount'), '500')
    await user.click(await screen.findByRole('radio', { name: /BTC/ }))
    expect(await screen.findByText(/^Send BTC on/)).toBeVisible()
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(quotes.seen).toHaveLength(0)
  })
})
