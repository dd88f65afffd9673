import { fund, platformMethod, signedIn } from './support/stack'
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
