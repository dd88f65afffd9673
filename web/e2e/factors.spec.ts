import type { Page } from '@playwright/test'
import { passes } from './support/accessible'
import { fillLogin, fund, mailTo, type SignedIn, signedIn } from './support/stack'
import { expect, test } from './support/test'
import { totpCode } from './support/totp'

const address = 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS'

/** Sets an authenticator up on the profile page; returns its secret and the recovery codes. */
async function setUp(page: Page, member: SignedIn) {
  await page.goto('/profile')
  await page.getByRole('button', { name: 'Set up' }).click()
  await page.getByLabel('Your password').fill(member.password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible()
  const secret = (await page.locator('p.font-mono.select-all').textContent()) ?? ''
  await passes(page, 'the secret')
  await page.getByLabel('Authenticator code').fill(totpCode(secret))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByRole('heading', { name: 'Save your recovery codes' })).toBeVisible()
  const codes = await page.getByRole('listitem').filter({ hasText: /^[A-Z2-9]{5}-[A-Z2-9]{5}$/ }).allTextContents()
  expect(codes).toHaveLength(10)
  await passes(page, 'the recovery codes')
  await page.getByRole('button', { name: 'I have saved them' }).click()
  return { secret, codes }
}

test('a member sets up an authenticator, steps up for a withdrawal and logs in by a recovery code [D-A3] [D-R19] [D-A9] [D-M10]', async ({ page, another, watch }) => {
  test.setTimeout(180_000)
  const member = await signedIn(page)
  await fund(member, 500)
  // Logged in before: this session has never given the factor.
  const desk = await another()
  await desk.goto('/login')
  await fillLogin(desk, member)
  await expect(desk).toHaveURL('/dashboard')

  const { secret, codes } = await setUp(page, member)
  await expect(page.getByText('You have 10 recovery codes left.')).toBeVisible()
  await passes(page, 'the profile with a second factor')
  await mailTo(member.email, /An authenticator app was set up/)

  // The other device stays logged in; to withdraw, it gives a code, and the request goes on.
  watch.tolerate(/status of (401|403|422)/)
  await desk.goto('/withdrawals')
  await desk.getByLabel('Amount').fill('100')
  await desk.getByText('TRC20').click()
  await desk.getByLabel('Wallet address').fill(address)
  await desk.getByRole('button', { name: 'Request Withdrawal' }).click()
  await desk.getByRole('button', { name: /^Withdraw \$/ }).click()
  const dialog = desk.getByRole('dialog', { name: 'Confirm it is you' })
  await expect(dialog).toBeVisible()
  await passes(desk, 'the step-up dialog')
  await dialog.getByLabel('Authenticator code').fill('12345')
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(dialog.getByText(/Enter the 6 digits/)).toBeVisible()
  await dialog.getByLabel('Authenticator code').fill(totpCode(secret, 1))
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  // A factor that was set up just now replaces no mailed code.
  await expect(desk).toHaveURL(/\/transactions\/[0-9a-f-]{36}$/)
  await expect(desk.getByText('Confirm the address', { exact: true })).toBeVisible()

  // A login takes the factor; a recovery code stands in once.
  const phone = await another()
  const logIn = async (code: string) => {
    await phone.goto('/login')
    await fillLogin(phone, member)
    await phone.getByLabel('Authenticator code').fill(code)
    await phone.getByRole('button', { name: 'Login' }).click()
  }
  await logIn(codes[0] ?? '')
  await expect(phone).toHaveURL('/dashboard')
  await mailTo(member.email, /A recovery code was used/)
  await page.reload()
  await expect(page.getByText('You have 9 recovery codes left.')).toBeVisible()

  // Off again: the session that set it up gave it within the last minutes.
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByRole('button', { name: 'Set up' })).toBeVisible()
  await mailTo(member.email, /password\s+alone signs you in/)
})
