import { approve, fund, payOut, platformMethod, proof, signedIn } from './support/stack'
import { expect, test } from './support/test'

const address = 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS'

test('a withdrawal shows its fee before it is sent, is sent once, and blocks a second one [WDR-01] [WDR-02] [WDR-04] [PAY-01] [D-W2] [D-W3] [D-W4] [D-M2] [D-G4]', async ({ page }) => {
  const member = await signedIn(page)
  await fund(member, 500)
  await member.api('POST', '/payment-methods', { currency: 'USDT', network: 'TRC20', address, label: 'Hardware wallet' })

  await page.goto('/withdrawals')
  await page.getByLabel('Amount').fill('200')
  await page.getByText('TRC20').click()
  await expect(page.getByLabel('Wallet address')).toHaveValue(address)
  await expect(page.getByText(/Withdrawal will be processed by/)).toBeVisible()
  const sums = page.locator('dl[aria-live]')
  await expect(sums).toContainText('Processing fee (2.5%)$5.00')
  await expect(sums).toContainText('You receive$195.00')

  // What was typed survives a reload.
  await page.reload()
  await expect(page.getByLabel('Amount')).toHaveValue('200')
  await expect(page.getByLabel('Wallet address')).toHaveValue(address)

  let requests = 0
  page.on('request', (request) => (requests += Number(request.url().endsWith('/transactions/withdraw'))))
  await page.getByRole('button', { name: 'Request Withdrawal' }).dblclick()
  await expect(page).toHaveURL('/transactions')
  expect(requests).toBe(1)
  await expect(page.getByRole('main').getByRole('link', { name: /Withdrawal/ })).toHaveCount(1)

  await page.goto('/withdrawals')
  await expect(page.getByText('Available: $300.00')).toBeVisible()
  await page.getByLabel('Amount').fill('100')
  await page.getByText('TRC20').click()
  await page.getByRole('button', { name: 'Request Withdrawal' }).click()
  await expect(page.getByText('Withdrawal pending already')).toBeVisible()
  await expect(page.getByText('Please pay the pending withdrawal fee to continue')).toBeVisible()

  // The fee is an option: paid separately and confirmed, the whole amount is paid out.
  await page.getByRole('link', { name: 'View the open withdrawal' }).click()
  await expect(page.getByText(/There is nothing you need to pay/)).toBeVisible()
  await page.getByRole('button', { name: 'Pay the fee separately' }).click()
  await page.getByText('ERC20').click()
  await page.getByLabel('Proof of payment').setInputFiles(proof)
  await page.getByRole('button', { name: 'I have made payment' }).click()
  await expect(page.getByText('Your fee payment is in review')).toBeVisible()
  await approve(member.email, 5, 'Fee')
  await expect(page.getByText('You receive the full $200.00.')).toBeVisible({ timeout: 30_000 })
})

test('the limits of the terms are shown, and a reached one says what is left and from when on [D-B11] [D-R16] [D-L7]', async ({ page, watch }) => {
  watch.tolerate(/status of 422/)
  const member = await signedIn(page)
  for (let deposits = 0; deposits < 13; deposits++) await fund(member, 9_000)
  const method = await platformMethod(member)
  for (const amount of [50_000, 49_000]) {
    await member.api('POST', '/transactions/withdraw', { amount, method, address })
    await payOut(member.email)
  }

  await page.goto('/withdrawals')
  const terms = await member.api<{ withdrawal: { left: number; availableAt: string } }>('GET', '/terms')
  expect(terms.withdrawal.left).toBe(1_000)
  const facts = page.getByRole('main').locator('dl').last()
  await expect(facts).toContainText('Minimum withdrawal$50')
  await expect(facts).toContainText('Limit in 24 hours$100,000')
  await expect(facts).toContainText('Limit in 30 days$500,000')
  await expect(facts).toContainText('Left of your limits$1,000.00more from')

  await page.getByLabel('Amount').fill('1000.01')
  await page.getByText('TRC20').click()
  await page.getByLabel('Wallet address').fill(address)
  await page.getByRole('button', { name: 'Request Withdrawal' }).click()
  const refusal = page.getByText(/This is more than your withdrawal limit leaves: \$1,000\.00 is left now, and this amount from .* UTC\./)
  await expect(refusal).toBeVisible()
  await expect(refusal).toHaveCount(1)
  await expect(page).toHaveURL('/withdrawals')

  await page.getByRole('button', { name: 'Use the maximum' }).click()
  await expect(page.getByLabel('Amount')).toHaveValue('1000.00')
  await page.getByRole('button', { name: 'Request Withdrawal' }).click()
  await expect(page).toHaveURL('/transactions')
})

test('a withdrawal without an address asks for one, once [D-W1] [D-R14]', async ({ page }) => {
  const member = await signedIn(page)
  await fund(member, 100)
  const request = { amount: 60, method: await platformMethod(member) }
  const { transaction } = await member.api<{ transaction: { id: string } }>('POST', '/transactions/withdraw', request)
  await page.goto(`/transactions/${transaction.id}`)
  await page.getByLabel('Wallet address').fill('short')
  await page.getByRole('button', { name: 'Save address' }).click()
  await expect(page.getByText('Please enter a valid wallet address')).toBeVisible()
  await page.getByLabel('Wallet address').fill(address)
  await page.getByRole('button', { name: 'Save address' }).click()
  await expect(page.getByText('This withdrawal needs an address')).toBeHidden()
  await expect(page.getByRole('main')).toContainText(address)
})
