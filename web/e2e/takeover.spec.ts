import { asStaff, codeMailedTo, fillLogin, fund, mailTo, platformMethod, type SignedIn, signedIn } from './support/stack'
import { expect, test } from './support/test'

/** Somebody who has the member's session and password puts another address in force; returns it. */
async function takeOver(member: SignedIn) {
  const email = member.email.replace('amara-', 'eve-')
  const details = { name: member.name, phone: '+46 70 123 45 67', country: 'Sweden' }
  await member.api('PUT', `/users/profile/${member.id}`, { ...details, email, currentPassword: member.password })
  await member.api('POST', '/auth/verify', { email, otp: await codeMailedTo(email) })
  return email
}

test('a change of email is undone by the link in the old mailbox, and payouts wait meanwhile [D-A1] [D-A5] [D-R19]', async ({ page, watch }) => {
  watch.tolerate(/401/)
  const member = await signedIn(page)
  await fund(member, 500)
  const request = { amount: 100, method: await platformMethod(member), address: 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS' }
  const { transaction } = await member.api<{ transaction: { id: string } }>('POST', '/transactions/withdraw', request)
  const taken = await takeOver(member)

  await page.goto(`/transactions/${transaction.id}`)
  await expect(page.getByText(/^Your payout can be approved from/)).toBeVisible()
  const reviewer = await asStaff('reviewer')
  const inReview = `/admin/transactions/${transaction.id}`
  const { transaction: { revision } } = await reviewer<{ transaction: { revision: number } }>('GET', inReview)
  await expect(reviewer('POST', `${inReview}/approve`, { revision })).rejects.toThrow(/409.*COOLING_OFF/)

  const [, path = ''] = await mailTo(member.email, /https?:\/\/[^/\s]+(\/undo#token=[\w-]+)/)
  await page.goto(path)
  await expect(page).toHaveURL('/undo')
  await page.getByRole('button', { name: 'Undo the change' }).click()
  await expect(page.getByText('Your old email address is restored')).toBeVisible()
  // Nobody had confirmed its destination, so it ended with the change [D-A6].
  await expect.poll(() => reviewer('POST', `${inReview}/approve`, { revision }).catch(String)).toMatch(/409.*ALREADY_DECIDED/)

  const [, reset = ''] = await mailTo(member.email, /https?:\/\/[^/\s]+(\/reset-password#token=[\w-]+)/)
  await page.goto(reset)
  await page.getByLabel('New Password').fill('another-lantern-28')
  await page.getByLabel('Confirm Password').fill('another-lantern-28')
  await page.getByRole('button', { name: 'Reset Password' }).click()
  await expect(page).toHaveURL('/login')
  await fillLogin(page, { email: taken, password: 'another-lantern-28' })
  await expect(page.getByText(/^Wrong email or password/)).toBeVisible()
  await page.getByLabel('Email').fill(member.email)
  await page.getByRole('button', { name: 'Login' }).click()
  await expect(page).toHaveURL('/dashboard')
})

test('"This was not me" in the mail of a new login logs everybody out [D-A6]', async ({ page, another, watch }) => {
  watch.tolerate(/401|422/)
  const member = await signedIn(page)
  await page.goto('/dashboard')
  const thief = await another()
  await thief.goto('/login')
  await fillLogin(thief, member)
  await expect(thief).toHaveURL('/dashboard')

  const [, path = ''] = await mailTo(member.email, /https?:\/\/[^/\s]+(\/not-me#token=[\w-]+)/)
  await page.goto(path)
  await page.getByRole('button', { name: 'Secure my account' }).click()
  await expect(page.getByText('All sessions have ended')).toBeVisible()
  await expect(async () => {
    await thief.goto('/transactions')
    await expect(thief).toHaveURL('/login', { timeout: 2_000 })
  }).toPass({ timeout: 30_000 })
  await mailTo(member.email, /\/reset-password#token=[\w-]+/)
  await page.goto('/dashboard')
  await page.goto(path)
  await page.getByRole('button', { name: 'Secure my account' }).click()
  await expect(page.getByText('This link has already been used or has expired')).toBeVisible()
})
