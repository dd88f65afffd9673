import { approve, mailTo, newMember, proof, signUp } from './support/stack'
import { expect, test } from './support/test'

test('from registration to a confirmed deposit [AUTH-06] [AUTH-12] [DASH-01] [DEP-03] [DEP-05] [DEP-06] [TXN-03] [TXN-05] [D-D1] [D-D4] [D-D5] [D-E2]', async ({ page }) => {
  const member = newMember()
  await signUp(page, member)

  const balance = page.getByRole('region', { name: 'Available Balance' })
  await expect(balance).toContainText('$0.00')
  await expect(page.getByText('No recent transactions found.')).toBeVisible()

  await page.getByRole('link', { name: /Make Deposit/ }).click()
  await page.getByLabel('Amount').fill('250.50')
  await page.getByText('TRC20').click()
  await expect(page.getByText(/Transaction will be confirmed by/)).toBeVisible()
  await page.getByLabel('Proof of payment').setInputFiles(proof)
  await expect(page.getByText('Proof of payment uploaded successfully!')).toBeVisible()
  await page.getByRole('button', { name: 'I have made payment' }).click()

  await expect(page).toHaveURL('/transactions')
  const row = page.getByRole('main').getByRole('link', { name: /Deposit/ })
  await expect(row).toContainText('Pending')
  await expect(row).toContainText('+$250.50')
  await mailTo(member.email, /250\.50/)

  // A pending deposit has no effect on the balance.
  await page.goto('/dashboard')
  await expect(balance).toContainText('$0.00')

  await approve(member.email, 250.5)

  // No reload: the server's event, or else the poll, brings it.
  await expect(balance).toContainText('$250.50', { timeout: 30_000 })
  await page.getByRole('main').getByRole('link', { name: /Deposit.*250\.50/ }).click()
  await expect(page.getByText('Success').first()).toBeVisible()
  await expect(page.getByText(member.email)).toBeVisible()

  const [receipt] = await Promise.all([page.waitForEvent('popup'), page.getByRole('link', { name: /View Receipt/ }).click()])
  await expect(receipt.locator('img')).toBeVisible()
  await receipt.close()

  await mailTo(member.email, /confirmed/i)
})
