import type { Locator } from '@playwright/test'
import { fund, hash, platformMethod, signedIn, staffSignedIn } from './support/stack'
import { expect, test } from './support/test'

test('with forced colours a button keeps its shape, and what is current has a frame [NAV-01]', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await signedIn(page)
  await page.goto('/deposits')
  await expect(page.getByRole('button', { name: 'I have made payment' })).toHaveCSS('border-top-width', '1px')
  const current = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deposits' })
  await expect(current).toHaveCSS('outline-style', 'solid')
})

test('a transaction prints without what can only be pressed [TXN-04]', async ({ page }) => {
  const member = await signedIn(page)
  await fund(member, 300)
  const method = await platformMethod(member)
  type Made = { transaction: { id: string } }
  const { transaction } = await member.api<Made>('POST', '/transactions/withdraw', {
    amount: 100, method, address: 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS',
  })
  await page.goto(`/transactions/${transaction.id}`)
  await expect(page.getByRole('button', { name: 'Pay the fee separately' })).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  for (const name of ['Pay the fee separately', 'Back']) await expect(page.getByRole('button', { name })).toBeHidden()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
  await expect(page.getByText(/^Solvane, printed /)).toBeVisible()
  await expect(page.getByText(/^TNX-/)).toBeVisible()
  expect((await page.getByRole('main').boundingBox())?.width, 'the column of the menu is gone').toBeGreaterThan(600)
})

test('enlarged to 400 percent the header scrolls away, and does not cover a quarter of the page [U23] [PUB-05]', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 256 })
  for (const path of ['/', '/login', '/terms']) {
    await page.goto(path)
    for (const header of await page.getByRole('banner').all()) await expect(header).toHaveCSS('position', 'static')
  }
  await signedIn(page)
  await page.goto('/transactions')
  await expect(page.getByRole('banner')).toHaveCSS('position', 'static')
})

test('the logo is in the middle of its header, and an age within its column [U23]', async ({ page }) => {
  const middle = async (of: Locator) => {
    const box = await of.boundingBox()
    return box ? box.y + box.height / 2 : 0
  }
  await page.goto('/')
  const header = page.getByRole('banner')
  const logo = header.getByRole('link', { name: 'Solvane home' }).locator('svg')
  expect(Math.abs((await middle(logo)) - (await middle(header)))).toBeLessThanOrEqual(1)

  // The age of a day with a number of days that is longer than any of the demo.
  await staffSignedIn(page, 'reviewer')
  const candidate = { id: hash().slice(0, 32), user: { id: hash().slice(0, 32), name: 'Mia Lindqvist' }, reference: 'TNX-20240101-ABCDEF', amount: 1234567.89 }
  await page.route('**/v1/admin/payments/unclaimed*', (route) =>
    route.fulfill({
      json: {
        success: true,
        payments: [
          {
            chain: 'bitcoin', txid: hash(), index: 0, address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', units: '513809', asset: 'BTC',
            decimals: 8, confirmations: 9, state: 'final', confirmationsNeeded: 2, seenAt: '2022-01-01T12:00:00Z',
            candidates: [{ ...candidate, createdAt: '2022-01-01T12:00:00Z' }],
          },
        ],
      },
    }),
  )
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 860 })
    await page.goto('/admin/payments')
    const age = page.getByRole('link', { name: /Mia Lindqvist/ }).getByRole('time')
    await expect(age).toBeVisible()
    expect(await age.evaluate((node) => node.scrollWidth - node.clientWidth), `at ${width} px`).toBeLessThanOrEqual(0)
  }
})
