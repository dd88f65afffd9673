/** Several tabs of one browser, which opens at most six connections to the server. */
import type { Page } from '@playwright/test'
import { approve, fillLogin, fund, platformMethod, proof, signedIn } from './support/stack'
import { expect, test } from './support/test'

const TABS = 7

test('seven tabs load, save and hear of changes over one stream, which the next tab takes over [D-D1]', async ({ page, context }) => {
  const streams = new Map<Page, number>()
  context.on('request', (request) => {
    if (!request.url().endsWith('/v1/events')) return
    const tab = request.frame().page()
    streams.set(tab, (streams.get(tab) ?? 0) + 1)
  })
  const member = await signedIn(page)
  await page.goto('/profile')
  await expect.poll(() => streams.size).toBe(1)
  const tabs = [page]
  while (tabs.length < TABS) {
    const tab = await context.newPage()
    tabs.push(tab)
    await tab.goto('/profile')
  }
  for (const tab of tabs) {
    await tab.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(tab.locator('.toast')).toBeVisible()
  }
  expect([...streams.keys()]).toEqual([page])

  // What happens while one tab follows, and after it was closed, is seen in the others without a reload.
  const deposit = async (amount: number) => {
    const receipt = `data:${proof.mimeType};base64,${proof.buffer.toString('base64')}`
    await member.api('POST', '/transactions/deposit', { amount, method: await platformMethod(member), receipt, type: 'deposit' })
    await approve(member.email, amount)
  }
  const others = tabs.slice(1)
  for (const tab of others) await tab.goto('/dashboard')
  const showBalance = async (balance: string) => {
    for (const tab of others) {
      await expect(tab.getByRole('region', { name: 'Available Balance' }).getByText(balance)).toBeVisible({ timeout: 10_000 })
    }
  }
  await deposit(300)
  await showBalance('$300.00')

  await page.close()
  await expect.poll(() => streams.size, { message: 'another tab follows' }).toBe(2)
  await deposit(200)
  await showBalance('$500.00')

  const leader = [...streams.keys()].at(-1) as Page
  others.splice(others.indexOf(leader), 1)
  await leader.close()
  await expect.poll(() => streams.size, { message: 'the next tab follows' }).toBe(3)
  await deposit(100)
  await showBalance('$600.00')
})

test('the stream is there again after a logout and a login [AUTH-13]', async ({ page, context }) => {
  const member = await signedIn(page)
  const stream = () => context.waitForEvent('request', (request) => request.url().endsWith('/v1/events'))
  const first = stream()
  await page.goto('/dashboard')
  await first
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')
  const second = stream()
  await fillLogin(page, member)
  await second
})

test('a tab that stands still gives up the stream to the one that is looked at [D-D1]', async ({ page, context }) => {
  const streams: Page[] = []
  context.on('request', (request) => {
    if (request.url().endsWith('/v1/events')) streams.push(request.frame().page())
  })
  const member = await signedIn(page)
  await page.goto('/dashboard')
  await expect.poll(() => streams).toEqual([page])
  const other = await context.newPage()
  await other.goto('/dashboard')
  // Its scripts do not run, and no event has said so.
  const debug = await context.newCDPSession(page)
  await debug.send('Debugger.enable')
  await debug.send('Debugger.pause')
  void page.evaluate(() => 0).catch(() => undefined)
  await expect.poll(() => streams.at(-1) === other, { timeout: 30_000 }).toBe(true)
  await fund(member, 150)
  await expect(other.getByRole('region', { name: 'Available Balance' }).getByText('$150.00')).toBeVisible({ timeout: 10_000 })
  // Once it runs again, it waits for its turn and hears what the other follows.
  await debug.send('Debugger.resume')
  await debug.send('Debugger.disable')
  await fund(member, 100)
  await expect(page.getByRole('region', { name: 'Available Balance' }).getByText('$250.00')).toBeVisible({ timeout: 10_000 })
  expect(streams.filter((tab) => tab === page)).toHaveLength(1)
})
