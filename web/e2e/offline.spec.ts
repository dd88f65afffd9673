/** What a member sees when the network is gone, however early. */
import type { BrowserContext, Page } from '@playwright/test'
import { fillLogin, signedIn } from './support/stack'
import { expect, test } from './support/test'

const FAILURES = /ChunkError|ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to (fetch|load)|dynamically imported module/

/** Changes the name in the profile after the network has gone, and returns the message about it. */
async function savesOffline(page: Page, context: BrowserContext) {
  await signedIn(page)
  await page.goto('/profile')
  await page.getByLabel('Full Name').fill('Amara Offline')
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  return page.locator('.toast')
}

test('the first save without a network says so and keeps what was typed [MSG-01] [D-L7]', async ({ page, context, watch }) => {
  watch.tolerate(FAILURES)
  const toast = await savesOffline(page, context)
  await expect(toast).toContainText('Please check your connection and try again.')
  await expect(page.getByLabel('Full Name')).toHaveValue('Amara Offline')
  // The same failure again is a message again.
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(toast).toContainText('2 times')
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('main').getByText('Amara Offline')).toBeVisible()
})

for (const approached of [true, false]) {
  test(`a login without a network says so, ${approached ? 'with' : 'before'} the app [MSG-01] [AUTH-01]`, async ({ page, context, watch }) => {
    watch.tolerate(FAILURES)
    await page.goto('/login')
    if (approached) {
      await page.getByLabel('Email').focus()
      // What React has taken over carries its marks.
      await expect.poll(() => page.evaluate(() => Object.keys(document.querySelector('h1') ?? {}).length)).toBeGreaterThan(0)
    }
    await context.setOffline(true)
    await fillLogin(page, { email: 'amara@example.test', password: 'harbour-lantern-27' })
    await expect(page.getByRole('alert').filter({ hasText: 'Please check your connection' })).toBeVisible()
    await expect(page.getByLabel('Email')).toHaveValue('amara@example.test')
  })
}

test('a link without a network leaves the app standing, and the network brings the page [D-L5]', async ({ page, context, watch }) => {
  watch.tolerate(FAILURES)
  await signedIn(page)
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { name: 'Recent activity' })).toBeVisible()
  await context.setOffline(true)
  await page.getByRole('link', { name: 'Courses' }).first().click()
  await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.locator('.toast')).toContainText('Network Error')
  // What is loaded works on.
  await page.getByRole('link', { name: 'Dashboard' }).first().click()
  await expect(page.getByRole('heading', { name: 'Recent activity' })).toBeVisible()
  await page.getByRole('link', { name: 'Courses' }).first().click()
  await context.setOffline(false)
  await expect(page.getByRole('heading', { name: 'Courses', level: 1 })).toBeVisible()
})

test('a double press logs in once, and says at once that it does [AUTH-17]', async ({ page }) => {
  const member = await signedIn(page)
  await page.goto('/dashboard')
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname))
  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/v1/auth/login', async (route) => {
    await held
    await route.continue()
  })
  await page.getByLabel('Email').fill(member.email)
  await page.getByLabel('Password', { exact: true }).fill(member.password)
  await page.getByRole('button', { name: 'Login' }).dblclick()
  await expect(page.getByRole('button', { name: 'Logging in...' })).toBeDisabled({ timeout: 1_000 })
  answer()
  await expect(page).toHaveURL('/dashboard')
  expect(sent.filter((path) => path === '/v1/auth/login')).toHaveLength(1)
})

test('a refusal lies above the dialog that asked, where it can be read and dismissed [MSG-01]', async ({ page, watch }) => {
  watch.tolerate(/503/)
  await signedIn(page)
  await page.route('**/v1/transactions/statement*', (route) =>
    route.fulfill({ status: 503, json: { success: false, message: 'No statement now', code: 'UNAVAILABLE', requestId: 'r' } }),
  )
  await page.goto('/transactions')
  await page.getByRole('button', { name: 'Statement' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()
  const toast = page.getByRole('dialog').getByRole('alert')
  await expect(toast).toContainText('No statement now')
  await toast.getByRole('button', { name: 'Dismiss' }).click()
  await expect(toast).toBeHidden()
})

test('a message leaves after 4 seconds, with reduced motion too [NAV-03]', async ({ page, context, watch }) => {
  watch.tolerate(FAILURES)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const toast = await savesOffline(page, context)
  await expect(toast).toBeVisible()
  const seen = Date.now()
  await expect(toast).toBeHidden({ timeout: 10_000 })
  expect(Date.now() - seen).toBeGreaterThan(3_000)
})
