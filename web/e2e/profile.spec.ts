import { readFileSync } from 'node:fs'
import { passes } from './support/accessible'
import { codeMailedTo, mailTo, platformMethod, proof, reject, signedIn } from './support/stack'
import { expect, test } from './support/test'

test('photo, details, email and password are changed [PROF-01] [PROF-02] [PROF-03] [D-S12] [D-A7]', async ({ page, watch }) => {
  const member = await signedIn(page)
  await page.goto('/profile')

  await page.getByLabel('Change photo').setInputFiles(proof)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('button', { name: 'Upload photo' })).toBeHidden()
  await page.getByLabel('Change photo').setInputFiles(proof)
  await page.getByRole('button', { name: 'Upload photo' }).click()
  const photo = page.getByRole('main').getByRole('img').first()
  await expect.poll(() => photo.evaluate((node) => node instanceof HTMLImageElement && node.naturalWidth > 0)).toBe(true)

  await page.getByLabel('Full Name').fill('Amara L. Lindqvist')
  await page.getByLabel('Country').selectOption('Norway')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('main').getByText('Amara L. Lindqvist')).toBeVisible()

  // The old email stays in force until the new one is confirmed.
  const email = member.email.replace('amara-', 'lindqvist-')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Your password').fill(member.password)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page).toHaveURL(`/verify?email=${encodeURIComponent(email)}`)
  await page.getByLabel('6-digit code').fill(await codeMailedTo(email))
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page).toHaveURL('/dashboard')
  await page.goto('/profile')
  await expect(page.getByLabel('Email')).toHaveValue(email)

  watch.tolerate(/422|401/)
  await page.getByLabel('Old Password').fill('not-my-password')
  await page.getByLabel('New Password').fill('another-lantern-28')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByLabel('Old Password')).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('Old Password').fill(member.password)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByLabel('Old Password')).toHaveValue('')
  await mailTo(email, /password/i)

  // All of it is logged, with the device it came from [D-A7].
  await page.getByRole('link', { name: /Account activity/ }).click()
  await expect(page).toHaveURL('/profile/activity')
  const events = page.getByRole('main').getByRole('listitem')
  await expect(events.first()).toContainText('Password changed')
  await expect(events.first()).toContainText('127.0.0.0/24')
  for (const text of ['Wrong password', 'Email changed', 'Email change requested', 'Logged in']) {
    await expect(events.filter({ hasText: text })).toHaveCount(1)
  }
})

test('payment methods are added, edited and deleted [PAY-01] [D-M1] [D-M4]', async ({ page }) => {
  await signedIn(page)
  await page.goto('/payment-methods')
  await page.getByRole('link', { name: 'Add payment method' }).first().click()
  await page.getByLabel('Network').selectOption('USDT on TRC20')
  await page.getByLabel('Wallet address').fill('short')
  await page.getByRole('button', { name: /^Add|^Save/ }).click()
  await expect(page.getByText('Please enter a valid wallet address')).toBeVisible()
  await page.getByLabel('Wallet address').fill('TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS')
  await page.getByLabel('Label').fill('Savings')
  await page.getByRole('button', { name: /^Add|^Save/ }).click()
  await expect(page).toHaveURL('/payment-methods')

  await page.getByRole('link', { name: 'Edit Savings' }).click()
  await page.getByLabel('Label').fill('Cold storage')
  await page.getByRole('button', { name: /^Save/ }).click()
  await expect(page).toHaveURL('/payment-methods')
  await page.getByRole('button', { name: 'Delete Cold storage' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No address saved yet')).toBeVisible()
})

test('a member downloads everything that is kept about them [D-A12]', async ({ page }) => {
  const member = await signedIn(page)
  await page.goto('/profile')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download your data' }).click()
  const archive = await download
  expect(archive.suggestedFilename()).toMatch(/^solvane-data-\d{4}-\d\d-\d\d\.zip$/)
  const content = readFileSync(await archive.path())
  expect(content.subarray(0, 2).toString()).toBe('PK')
  for (const part of ['account/account-1.json', member.email, 'emails/emails-1.json']) expect(content.includes(part), part).toBe(true)
  await page.goto('/profile/activity')
  await expect(page.getByText('Downloaded all account data')).toBeVisible()
})

test('an account closes a day after it was asked for, once nothing is in it, unless its owner keeps it [D-A12] [D-M10] [UX-A11Y]', async ({ page, watch }) => {
  watch.tolerate(/status of 4\d\d/)
  const member = await signedIn(page)
  const receipt = `data:${proof.mimeType};base64,${proof.buffer.toString('base64')}`
  const method = await platformMethod(member)
  await member.api('POST', '/transactions/deposit', { amount: 150, method, receipt, type: 'deposit' })
  const dialog = page.getByRole('dialog', { name: 'Close your account?' })
  const close = async () => {
    await page.goto('/profile')
    await page.getByRole('button', { name: 'Close account' }).click()
    await dialog.getByLabel('Your password').fill(member.password)
    await dialog.getByRole('button', { name: 'Close account' }).click()
  }

  await close()
  await expect(dialog.getByRole('alert')).toContainText('A payment is in review.')
  await passes(page, 'closing the account')
  await reject(member.email, 'NOT_RECEIVED')

  await close()
  const closing = page.getByRole('heading', { name: 'Your account is closing' })
  await expect(closing).toBeVisible()
  await passes(page, 'an account that is closing')
  await mailTo(member.email, /\/not-me#token=[\w-]+/)
  await page.getByRole('button', { name: 'Keep my account' }).click()
  await expect(closing).toBeHidden()
  await expect(page.getByRole('button', { name: 'Close account' })).toBeVisible()
})
