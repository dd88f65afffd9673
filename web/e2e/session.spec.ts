import { expect, test } from '@playwright/test'
import { mailTo, newMember, signUp } from './support/stack'

test('log out, come back to the page asked for, and end the other session [AUTH-13] [AUTH-15] [D-S4] [D-S11]', async ({ page, browser }) => {
  const member = newMember()
  await signUp(page, member)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')

  await page.goto('/investments')
  await expect(page).toHaveURL('/login')
  await page.getByLabel('Email').fill(member.email)
  await page.getByLabel('Password', { exact: true }).fill(member.password)
  await page.getByRole('button', { name: 'Login' }).click()
  await expect(page).toHaveURL('/investments')

  const other = await (await browser.newContext()).newPage()
  await other.goto('/login')
  await other.getByLabel('Email').fill(member.email)
  await other.getByLabel('Password', { exact: true }).fill(member.password)
  await other.getByRole('button', { name: 'Login' }).click()
  await expect(other).toHaveURL('/dashboard')

  await page.goto('/profile')
  await page.getByRole('button', { name: /End the session/ }).first().click()
  await expect(page.getByRole('button', { name: /End the session/ })).toHaveCount(0)
  await expect
    .poll(async () => {
      await other.goto('/transactions')
      await other.waitForLoadState('load')
      return other.url()
    }, { timeout: 30_000 })
    .toContain('/login')
  await other.context().close()
})

test('a forgotten password is replaced by the link of the mail, which leaves the address bar [AUTH-08] [AUTH-09] [D-S6]', async ({ page }) => {
  const member = newMember()
  await signUp(page, member)
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  await page.getByLabel('Email').fill(member.email)
  await page.getByRole('button', { name: 'Continue' }).click()
  const [, path = ''] = await mailTo(member.email, /https?:\/\/[^/\s]+(\/reset-password#token=[\w-]+)/)
  await page.goto(path)
  await expect(page).toHaveURL('/reset-password')
  await page.getByLabel('New Password').fill('another-lantern-28')
  await page.getByLabel('Confirm Password').fill('another-lantern-28')
  await page.getByRole('button', { name: 'Reset Password' }).click()
  await expect(page).toHaveURL('/login')
  await page.getByLabel('Email').fill(member.email)
  await page.getByLabel('Password', { exact: true }).fill('another-lantern-28')
  await page.getByRole('button', { name: 'Login' }).click()
  await expect(page).toHaveURL('/dashboard')
})
