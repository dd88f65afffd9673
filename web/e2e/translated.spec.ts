import type { Page } from '@playwright/test'
import { translatePage } from '../src/testing/translate'
import { approve, codeMailedTo, newMember, proof } from './support/stack'
import { expect, test } from './support/test'

/** A prerendered page has its app once a field is approached. */
async function ready(page: Page) {
  await page.getByLabel('Email').click()
  await page.waitForFunction(() => Object.keys(document.querySelector('form') ?? {}).some((key) => key.startsWith('__react')))
}

const address = 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS'

test('a page that the browser translates: login, verification, deposit, withdrawal and profile [AUTH-06] [DEP-06] [WDR-02] [PROF-02]', async ({ page, watch }) => {
  watch.tolerate(/status of (401|422)/)
  await page.addInitScript(`addEventListener('DOMContentLoaded', () => (${translatePage.toString()})(document.body))`)
  const member = newMember()

  await page.goto('/login')
  await expect(page.locator('h1 font').first()).toHaveText(/Welcome Back/)
  await ready(page)
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await expect(page.getByText('Invalid email address')).toBeVisible()
  await page.getByLabel('Email').fill(member.email)
  await page.getByLabel('Password', { exact: true }).fill(member.password)
  await page.getByRole('button', { name: 'Login', exact: true }).click()
  await expect(page.locator('.toast')).toBeVisible()

  await page.goto('/register')
  await ready(page)
  await page.getByLabel('Full Name').fill(member.name)
  await page.getByLabel('Email').fill(member.email)
  await page.getByLabel('Phone Number').fill('+46 70 123 45 67')
  await page.getByLabel('Country').selectOption('Sweden')
  await page.getByLabel('Password', { exact: true }).fill(member.password)
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page).toHaveURL(/\/verify/)
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByText('OTP must be 6 digits')).toBeVisible()
  const code = await codeMailedTo(member.email)
  await page.getByLabel('6-digit code').fill(`${code.slice(0, 3)} ${code.slice(3)}`)
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page).toHaveURL('/dashboard')

  await page.goto('/deposits')
  await page.getByRole('button', { name: 'I have made payment' }).click()
  await expect(page.getByText('Choose a method')).toBeVisible()
  await page.getByLabel('Amount').fill('250')
  await page.getByText('TRC20').click()
  await page.getByLabel('Proof of payment').setInputFiles(proof)
  await page.getByRole('button', { name: 'I have made payment' }).click()
  await expect(page).toHaveURL('/transactions')
  await approve(member.email, 250)

  await page.goto('/withdrawals')
  await page.getByLabel('Amount').fill('60')
  await expect(page.locator('dl[aria-live]')).toContainText('$58.50')
  await page.getByLabel('Amount').fill('100')
  await expect(page.locator('dl[aria-live]')).toContainText('$97.50')
  await page.getByRole('button', { name: 'Request Withdrawal' }).click()
  await expect(page.getByText('Choose a network')).toBeVisible()
  await page.getByText('TRC20').click()
  await page.getByLabel('Wallet address').fill(address)
  await page.getByRole('button', { name: 'Request Withdrawal' }).click()
  await page.getByRole('button', { name: /^Withdraw \$/ }).click()
  await expect(page).toHaveURL(/\/transactions/)

  await page.goto('/profile')
  await page.getByLabel('Full Name').fill('Amara Berg')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.locator('.toast')).toBeVisible()
  await expect(page.getByText('Something went wrong on this page')).toHaveCount(0)
})
