import { isAccessible } from './support/accessible'
import { asStaff, fund, proof, signedIn } from './support/stack'
import { expect, test } from './support/test'

test('a deposit asks for an exact amount, whose rate is renewed after 15 minutes, and keeps it [D-Q1] [D-Q3] [D-R17]', async ({ page }) => {
  await page.clock.install()
  await signedIn(page)
  await page.goto('/deposits')
  await page.getByLabel('Amount').fill('500')
  await page.getByText('Bitcoin', { exact: true }).click()
  // $500 at 97,312.45; others who ask at the same time have other units.
  const amount = page.getByText(/^0\.005138\d+ BTC$/)
  await expect(amount).toBeVisible()
  await expect(page.getByText(/^Rate: 1 BTC = \$97,312\.45, Solvane treasury desk/)).toBeVisible()
  await expect(page.getByRole('img', { name: 'QR code of the BTC payment' })).toBeVisible()
  await expect(page.getByRole('timer')).toHaveText(/^1[45]:\d\d$/)
  await isAccessible(page, 'a deposit at a quote')

  await page.clock.fastForward('15:01')
  await expect(page.getByText(/This rate has expired/)).toBeVisible()
  await expect(amount).toBeHidden()
  await isAccessible(page, 'an expired quote')
  await page.getByRole('button', { name: 'Get a new rate' }).click()
  await expect(amount).toBeVisible()
  const exact = await amount.textContent()

  await page.getByLabel('Proof of payment').setInputFiles(proof)
  await page.getByRole('button', { name: 'I have made payment' }).click()
  await expect(page).toHaveURL('/transactions')
  await page.getByRole('main').getByRole('link', { name: /Deposit/ }).click()
  await expect(page.getByText(exact ?? '')).toBeVisible()
  await expect(page.getByText(/^\$97,312\.45, locked /)).toBeVisible()
})

test('a withdrawal is an estimate, and pays exactly what is fixed when its payment begins [D-Q1] [D-N4] [D-R17]', async ({ page }) => {
  const member = await signedIn(page)
  await fund(member, 500)
  await page.goto('/withdrawals')
  await page.getByLabel('Amount').fill('400')
  await page.getByText('Bitcoin', { exact: true }).click()
  // $390 at 97,362.45.
  await expect(page.locator('dl[aria-live]')).toContainText('You receive$390.00 (about 0.004005 BTC)')
  await expect(page.getByText(/at the rate of the moment we pay it/)).toBeVisible()
  await expect(page.getByRole('timer')).toBeHidden()
  await isAccessible(page, 'a withdrawal at a quote')
  await page.getByLabel('Wallet address').fill('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
  await page.getByRole('button', { name: 'Request Withdrawal' }).click()
  await page.getByRole('button', { name: /^Withdraw \$/ }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.getByText('about 0.004005 BTC')).toBeVisible()

  const reviewer = await asStaff('reviewer')
  type Row = { user: { email: string }; quote?: { asset: string; units: string }; payout?: object }
  const { transactions } = await reviewer<{ transactions: Row[] }>('GET', '/admin/transactions?status=pending&kind=withdrawal')
  const shown = transactions.find(({ user }) => user.email === member.email)
  expect(shown?.quote).toMatchObject({ asset: 'BTC', units: '400565' })
  expect(shown?.payout).toBeUndefined()
})
