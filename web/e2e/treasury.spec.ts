import type { Page } from '@playwright/test'
import { passes } from './support/accessible'
import { signedIn, staffSignedIn } from './support/stack'
import { expect, test } from './support/test'
import { withTreasuryKey } from './support/treasury-key'

type Method = { currency: string; network: string; address: string; memo: string | null; version: number }

const OTHER = 'TFnPL6nwMz5dugbjUJroEo6oZhmpgthdXk'

/** Has the API answer with signed addresses, changed afterwards, as a taken service could. */
async function answerWith(page: Page, signatureOf: (method: Method) => Promise<string>, change: object) {
  await page.route('**/v1/payment-methods', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { paymentMethods: Method[] }
    const paymentMethods = await Promise.all(body.paymentMethods.map(async (one) => ({ ...one, signature: await signatureOf(one), ...change })))
    await route.fulfill({ response, json: { ...body, paymentMethods } })
  })
}

test('a replaced address is refused [D-M1]', async ({ page }) => {
  const signatureOf = await withTreasuryKey(page)
  await signedIn(page)
  const warning = page.getByText('Do not send money to this address')
  const choose = async () => {
    await page.goto('/deposits')
    await page.getByRole('radio', { name: /USDT\s*TRC20/ }).check({ force: true })
  }

  await answerWith(page, signatureOf, {})
  await choose()
  await expect(page.getByRole('button', { name: 'Copy address' })).toBeVisible()
  await expect(page.getByRole('img', { name: 'QR code of the USDT address' })).toBeVisible()
  await expect(warning).toHaveCount(0)

  for (const [what, change] of Object.entries({
    'a replaced address': { address: OTHER },
    'a signature of an older version': { version: 99 },
    'no signature': { signature: undefined },
  })) {
    await answerWith(page, signatureOf, change)
    await choose()
    await expect(warning, what).toBeVisible()
    await expect(page.getByRole('button', { name: 'Copy address' }), what).toHaveCount(0)
    await expect(page.getByRole('img', { name: /QR code/ }), what).toHaveCount(0)
    expect(await page.content(), what).not.toContain(OTHER)
  }
  await passes(page, 'a refused address')
})

test('an unsigned address is marked in the back office, where a treasurer signs it [D-M1]', async ({ page }) => {
  await staffSignedIn(page, 'treasurer')
  await page.goto('/admin/payment-methods')
  await expect(page.getByText('Unsigned').first()).toBeVisible()
  await passes(page, 'the platform methods')
  await page.getByRole('button', { name: 'Attach a signature' }).first().click()
  const statement = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the statement of version 1' }).click()
  expect((await statement).suggestedFilename()).toMatch(/^solvane-address-[a-z0-9-]+-v1\.txt$/)
  await passes(page, 'the dialog of a signature')
})
