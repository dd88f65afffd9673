import { readFile } from 'node:fs/promises'
import { fund, proof, signedIn } from './support/stack'
import { expect, test } from './support/test'

test('a deposit survives a reload while it is typed, and a double click sends it once [DEP-01] [DEP-06] [DEP-07] [D-G4]', async ({ page }) => {
  await signedIn(page)
  await page.goto('/deposits')
  await page.getByRole('button', { name: 'I have made payment' }).click()
  await expect(page.getByText('Please fill in all required fields')).toBeVisible()
  await page.getByLabel('Amount').fill('150')
  await page.getByText('ERC20').click()
  await page.reload()
  await expect(page.getByLabel('Amount')).toHaveValue('150')
  await expect(page.getByRole('radio', { name: /ERC20/ })).toBeChecked()

  await page.getByLabel('Proof of payment').setInputFiles(proof)
  let requests = 0
  page.on('request', (request) => (requests += Number(request.url().endsWith('/transactions/deposit'))))
  await page.getByRole('button', { name: 'I have made payment' }).dblclick()
  await expect(page).toHaveURL('/transactions')
  expect(requests).toBe(1)
  await expect(page.getByRole('main').getByRole('link', { name: /Deposit/ })).toHaveCount(1)
})

test('the list is filtered, a row opens its details, and the statement is a file [TXN-01] [TXN-04] [TXN-06] [D-L2]', async ({ page }) => {
  const member = await signedIn(page)
  await fund(member, 120.5)
  await page.goto('/transactions')
  const rows = page.getByRole('main').getByRole('link', { name: /Deposit/ })
  await expect(rows).toHaveCount(1)
  await page.getByRole('group', { name: 'Status' }).getByText('Failed').click()
  await expect(page.getByText('No transactions found.')).toBeVisible()
  await page.getByRole('group', { name: 'Status' }).getByText('Success').click()
  await rows.click()
  await expect(page.getByText(/^TNX-[0-9a-f]{6}$/)).toBeVisible()
  await page.getByRole('button', { name: 'Back' }).click()
  await expect(page).toHaveURL('/transactions?status=success')

  for (const [format, start] of [['PDF', '%PDF-'], ['CSV', 'at,title,description,reference,amount,fee,balance']] as const) {
    await page.getByRole('button', { name: 'Statement' }).click()
    await page.getByRole('group', { name: 'Format' }).getByText(format).click()
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
    expect(download.suggestedFilename()).toMatch(/^solvane-statement-.*\.(pdf|csv)$/)
    const content = await readFile(await download.path(), 'latin1')
    expect(content.startsWith(start)).toBe(true)
    if (format === 'CSV') expect(content).toContain('120.5')
    await expect(page.getByRole('dialog')).toBeHidden()
  }
})

test('a deposit shows its way, is found again, and is taken back while nothing was paid [D-M5] [D-M6] [R1] [R7]', async ({ page }) => {
  const member = await signedIn(page)
  await page.goto('/deposits')
  await page.getByLabel('Amount').fill('151.25')
  await page.getByText('ERC20').click()
  await page.getByLabel('Proof of payment').setInputFiles(proof)
  await page.getByRole('button', { name: 'I have made payment' }).click()
  await expect(page).toHaveURL('/transactions')
  await expect(page.getByRole('region', { name: 'On its way' }).getByRole('link', { name: /151\.25/ })).toBeVisible()
  await fund(member, 200)

  await page.getByRole('searchbox', { name: 'Search' }).fill('151.25')
  await expect(page).toHaveURL('/transactions?q=151.25')
  const row = page.getByRole('main').getByRole('link', { name: /Deposit/ })
  await expect(row).toHaveCount(1)
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /Save what is shown/ }).click()])
  expect(await readFile(await file.path(), 'utf8')).toContain(',151.25,')
  await row.click()

  const progress = page.getByRole('region', { name: 'Progress' })
  await expect(progress.locator('[aria-current=step]')).toBeVisible()
  await progress.getByRole('button', { name: 'Take it back' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take it back' }).click()
  await expect(progress.getByText('You took this request back.')).toBeVisible()
  await expect(progress.getByRole('link', { name: 'Request again' })).toHaveAttribute('href', '/deposits?amount=151.25')
})

test('an unknown transaction is said to be unknown [TXN-04]', async ({ page, watch }) => {
  watch.tolerate(/404/)
  await signedIn(page)
  await page.goto('/transactions/00000000-0000-4000-8000-000000000000')
  await expect(page.getByText('Transaction not found')).toBeVisible()
})

test('a page whose code does not come is loaded anew, once', async ({ page, watch }) => {
  watch.tolerate(/ERR_FAILED|dynamically imported module|ChunkError/)
  await signedIn(page)
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { name: 'Recent activity' })).toBeVisible()
  let missing = 1
  await page.route(/assets\/money-/, (route) => (missing-- > 0 ? route.abort() : route.continue()))
  await page.getByRole('link', { name: 'Transactions' }).first().click()
  await expect(page.getByRole('heading', { name: 'Transactions', level: 1 })).toBeVisible()
  missing = Infinity
  await page.getByRole('link', { name: 'Dashboard' }).first().click()
  await page.reload()
  await page.getByRole('link', { name: 'Transactions' }).first().click()
  await expect(page.getByText('This page could not be loaded')).toBeVisible()
})
