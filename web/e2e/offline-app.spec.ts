/** The installed app: what it shows without a network, how it changes its version, and what a logout leaves. */
import type { Page } from '@playwright/test'
import { fillLogin, fund, registered, signedIn } from './support/stack'
import { expect, test } from './support/test'

test.use({ serviceWorkers: 'allow' })

const FAILURES = /ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to fetch/
const balance = (page: Page) => page.getByRole('region', { name: 'Available Balance' })

/** Opens the dashboard, and waits until the app and what it shows are kept. */
async function openKept(page: Page) {
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { name: 'Recent activity' })).toBeVisible()
  await expect.poll(() => page.evaluate(() => Boolean(navigator.serviceWorker.controller)), { timeout: 40_000 }).toBe(true)
  await expect.poll(() => keptOf(page)).toBe(1)
}

/** For how many members data is kept. */
const keptOf = (page: Page) =>
  page.evaluate(async () => ((await caches.has('last-data')) ? (await (await caches.open('last-data')).keys()).length : 0))

test('offline, the app opens with the last data and says how old it is, and no money moves [D-D1]', async ({ page, context, watch }) => {
  watch.tolerate(FAILURES)
  const member = await signedIn(page)
  await fund(member, 250)
  await openKept(page)
  await context.setOffline(true)
  await page.reload()
  await expect(balance(page)).toContainText('$250.00')
  await expect(page.getByRole('status').filter({ hasText: 'You are offline.' })).toContainText(/Last updated \d{1,2}:\d\d [AP]M/)
  await page.getByRole('link', { name: 'Make Withdrawal' }).click()
  await expect(page.getByRole('button', { name: 'Request Withdrawal' })).toBeDisabled()
  await expect(page.getByText('Money can only be moved with a connection.')).toBeVisible()
  await expect(page.locator('.toast')).toHaveCount(0)

  await context.setOffline(false)
  await expect(page.getByText('You are offline.')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Request Withdrawal' })).toBeEnabled()
})

test('a logout leaves nothing of the member, in any tab, and nothing offline [AUTH-13] [D-S9]', async ({ page, context, watch }) => {
  watch.tolerate(FAILURES)
  const member = await signedIn(page)
  await fund(member, 250)
  await openKept(page)
  const other = await context.newPage()
  await openKept(other)
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')
  await expect(other).toHaveURL(/\/login/)
  await expect.poll(() => keptOf(other)).toBe(0)
  await context.setOffline(true)
  await other.goto('/dashboard')
  await expect(other.getByLabel('Email')).toBeVisible()
  await expect(other.getByText('$250.00')).toHaveCount(0)

  // The next member sees their own data, and only that.
  await context.setOffline(false)
  await other.goto('/login')
  await fillLogin(other, await registered())
  await expect(other).toHaveURL('/dashboard')
  await openKept(other)
  await context.setOffline(true)
  await other.reload()
  await expect(balance(other)).toContainText('$0.00')
})

test('a newer version waits until the member takes it', async ({ page }) => {
  await signedIn(page)
  await openKept(page)
  const script = () => page.evaluate(() => navigator.serviceWorker.controller?.scriptURL)
  const first = await script()
  // Another address of the worker is another version of it.
  await page.evaluate(() => navigator.serviceWorker.register('/sw.js?newer'))
  const bar = page.getByRole('status').filter({ hasText: 'A new version is ready.' })
  await expect(bar).toBeVisible()
  expect(await script()).toBe(first)
  await Promise.all([page.waitForEvent('load'), bar.getByRole('button', { name: 'Reload' }).click()])
  expect(await script()).toContain('/sw.js?newer')
  await expect(balance(page)).toBeVisible()
})
