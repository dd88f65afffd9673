import { isAccessible } from './support/accessible'
import { addressCodeMailedTo, approve, asStaff, fund, mailTo, payOut, platformMethod, proof, signedIn } from './support/stack'
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
  await expect(sums).toContainText('You receive$195.00 (about 194.9 USDT)')

  // What was typed survives a reload.
  await page.reload()
  await expect(page.getByLabel('Amount')).toHaveValue('200')
  await expect(page.getByLabel('Wallet address')).toHaveValue(address)

  let requests = 0
  page.on('request', (request) => (requests += Number(request.url().endsWith('/transactions/withdraw'))))
  await page.getByRole('button', { name: 'Request Withdrawal' }).dblclick()
  await page.getByRole('button', { name: /^Withdraw \$/ }).dblclick()
  // The address is new: the page of the withdrawal asks to confirm it.
  await expect(page).toHaveURL(/\/transactions\/[\w-]{36}$/)
  expect(requests).toBe(1)
  await page.goto('/transactions')
  await expect(page.getByRole('main').getByRole('link', { name: /Withdrawal/ })).toHaveCount(1)

  await page.goto('/withdrawals')
  await expect(page.getByText('Available: $300.00')).toBeVisible()
  await page.getByLabel('Amount').fill('100')
  await page.getByText('TRC20').click()
  await page.getByRole('button', { name: 'Request Withdrawal' }).click()
  await expect(page.getByText('Withdrawal pending already')).toBeVisible()
  await expect(page.getByText('Please pay the pending withdrawal fee to continue')).toBeVisible()

  // The fee is an option: paid separately and confirmed, the whole amount is paid out.
  await page.getByRole('link', { name: 'Confirm the address' }).click()
  await expect(page.getByText(/There is nothing you need to pay/)).toBeVisible()
  await page.getByRole('button', { name: 'Pay the fee separately' }).click()
  await page.getByText('ERC20').click()
  await page.getByLabel('Proof of payment').setInputFiles(proof)
  await page.getByRole('button', { name: 'I have made payment' }).click()
  await expect(page.getByText('Your fee payment is in review')).toBeVisible()
  await approve(member.email, 5, 'Fee')
  await expect(page.getByText('You receive the full $200.00.')).toBeVisible({ timeout: 30_000 })
})

test('a new address is confirmed by a mailed code before the withdrawal is approved, and is known from then on [D-A4] [D-R19]', async ({ page, watch }) => {
  watch.tolerate(/status of (409|422|429)/)
  const member = await signedIn(page)
  await fund(member, 500)
  const request = async (amount: string) => {
    await page.goto('/withdrawals')
    await page.getByLabel('Amount').fill(amount)
    await page.getByText('TRC20').click()
    await page.getByLabel('Wallet address').fill(address)
    await page.getByRole('button', { name: 'Request Withdrawal' }).click()
    await page.getByRole('button', { name: /^Withdraw \$/ }).click()
  }
  await request('100')
  await expect(page.getByText('Confirm the address', { exact: true })).toBeVisible()
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const reviewer = await asStaff('reviewer')
  await expect(reviewer('POST', `/admin/transactions/${id}/approve`, { revision: 1 })).rejects.toThrow(/409.*DESTINATION_UNCONFIRMED/)
  await mailTo(member.email, /withdrawal needs your confirmation/)

  const code = await addressCodeMailedTo(member.email, address)
  await page.getByLabel('6-digit code').fill(code === '000000' ? '000001' : '000000')
  await page.getByRole('button', { name: 'Confirm address' }).click()
  await expect(page.getByText('This code is wrong or has expired')).toBeVisible()
  await page.getByRole('button', { name: 'Send another code' }).click()
  await expect(page.getByText(/We have just sent you a code/)).toBeVisible()
  await page.getByLabel('6-digit code').fill(code)
  await page.getByRole('button', { name: 'Confirm address' }).click()
  await expect(page.getByText('The address is confirmed.')).toBeVisible()
  await expect(page.getByText('Confirm the address', { exact: true })).toBeHidden()
  await payOut(member)

  await request('60')
  await expect(page).toHaveURL('/transactions')
})

test('a saved address is confirmed on the page of the payment methods [D-A4] [D-M4]', async ({ page }) => {
  const member = await signedIn(page)
  await fund(member, 500)
  await member.api('POST', '/payment-methods', { currency: 'USDT', network: 'TRC20', address, label: 'Cold storage' })
  await page.goto('/payment-methods')
  await expect(page.getByText(/^Not confirmed yet/)).toBeVisible()
  await page.getByRole('button', { name: 'Enter the code for Cold storage' }).click()
  await isAccessible(page, 'the code of an address')
  await page.getByLabel('6-digit code').fill(await addressCodeMailedTo(member.email, address))
  await page.getByRole('button', { name: 'Confirm address' }).click()
  await expect(page.getByText(/^Not confirmed yet/)).toBeHidden()
  const { transaction } = await member.api<{ transaction: { needsConfirmation?: boolean } }>('POST', '/transactions/withdraw', {
    amount: 60, method: await platformMethod(member), address,
  })
  expect(transaction.needsConfirmation).toBeUndefined()
})

test('the limits of the terms are shown, and a reached one says what is left and from when on [D-B11] [D-R16] [D-L7]', async ({ page, watch }) => {
  watch.tolerate(/status of 422/)
  const member = await signedIn(page)
  for (let deposits = 0; deposits < 13; deposits++) await fund(member, 9_000)
  const method = await platformMethod(member)
  for (const amount of [50_000, 49_000]) {
    await member.api('POST', '/transactions/withdraw', { amount, method, address })
    await payOut(member)
  }

  await page.goto('/withdrawals')
  const terms = await member.api<{ withdrawal: { left: number; availableAt: string } }>('GET', '/terms')
  expect(terms.withdrawal.left).toBe(1_000)
  const facts = page.getByRole('main').locator('dl').last()
  await expect(facts).toContainText('Minimum withdrawal$50')
  await expect(facts).toContainText('Limit in 24 hours$100,000')
  await expect(facts).toContainText('Limit in 30 days$500,000')
  await expect(facts).toContainText('Remaining limit$1,000.00more from')

  await page.getByLabel('Amount').fill('1000.01')
  await page.getByText('TRC20').click()
  await page.getByLabel('Wallet address').fill(address)
  await page.getByRole('button', { name: 'Request Withdrawal' }).click()
  await page.getByRole('button', { name: /^Withdraw \$/ }).click()
  const refusal = page.getByText(/This is more than your withdrawal limit leaves: \$1,000\.00 is left now, and this amount from .* UTC\./)
  await expect(refusal).toBeVisible()
  await expect(refusal).toHaveCount(1)
  await expect(page).toHaveURL('/withdrawals')

  await page.getByRole('button', { name: 'Use the maximum' }).click()
  await expect(page.getByLabel('Amount')).toHaveValue('1000.00')
  await page.getByRole('button', { name: 'Request Withdrawal' }).click()
  await page.getByRole('button', { name: /^Withdraw \$/ }).click()
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
