import type { Page } from '@playwright/test'
import { derivedAddress } from '../src/lib/deposit-key'
import { passes } from './support/accessible'
import { signedIn, staffSignedIn } from './support/stack'
import { expect, test } from './support/test'
import { withOwnTreasuryKey, withTreasuryKey } from './support/treasury-key'

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

type Own = { address: string; derivation?: { key: string; path: string; index: number; perDeposit: boolean } }
type Told = Required<Own>

/** The account of another wallet. */
const THIEF = 'xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd'

/** What a taken gateway can answer instead of an own address. */
const LIES: Record<string, (network: string, own: Told) => Partial<Own>> = {
  'another address': (network) => ({ address: derivedAddress(network, THIEF, 0) }),
  'the address of another member': (network, { derivation: { key, index } }) => ({ address: derivedAddress(network, key, index + 1) }),
  'another index': (_, { derivation }) => ({ derivation: { ...derivation, index: derivation.index + 1 } }),
  'another key, with its address': (network, { derivation }) => ({
    address: derivedAddress(network, THIEF, derivation.index),
    derivation: { ...derivation, key: THIEF },
  }),
  'an address without a key': (network) => ({ address: derivedAddress(network, THIEF, 0), derivation: undefined }),
}

for (const [currency, network] of [['USDT', 'ERC20'], ['BTC', 'Bitcoin']] as const) {
  test(`an own address of ${currency} is refused unless it follows from the key that the treasury key signed [D-M1] [D-N2]`, async ({ page }) => {
    await withOwnTreasuryKey(page)
    await signedIn(page)
    let lie: ((network: string, own: Told) => Partial<Own>) | undefined
    let told = ''
    const change = <T extends Own>(one: T): T => {
      if (!one.derivation) return one
      const changed = { ...one, ...lie?.(network, one as T & Told) }
      told = changed.address
      return changed
    }
    await page.route('**/v1/payment-methods', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { paymentMethods: (Own & { network: string })[] }
      const paymentMethods = body.paymentMethods.map((one) => (one.network === network ? change(one) : one))
      await route.fulfill({ response, json: { ...body, paymentMethods } })
    })
    // On Bitcoin each quote has an address of its own.
    await page.route('**/v1/quotes', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { quote: Own }
      await route.fulfill({ response, json: { ...body, quote: change(body.quote) } })
    })
    const warning = page.getByText('Do not send money to this address')
    const copy = page.getByRole('button', { name: 'Copy address' })
    const code = page.getByRole('img', { name: /QR code/ })
    const choose = async () => {
      await page.goto('/deposits')
      await page.getByLabel('Amount').fill('500')
      await page.getByRole('radio', { name: new RegExp(`${currency}\\s*${network}|${network}`) }).check({ force: true })
    }
    await choose()
    await expect(code).toBeVisible()
    await expect(copy).toBeVisible()
    await expect(page.getByText(told, { exact: true })).toBeVisible()
    await expect(warning).toHaveCount(0)

    for (const [what, how] of Object.entries(LIES)) {
      lie = how
      await choose()
      await expect(warning, what).toBeVisible()
      await expect(copy, what).toHaveCount(0)
      await expect(code, what).toHaveCount(0)
      expect(await page.content(), what).not.toContain(told)
    }
    await passes(page, `a refused own address of ${currency}`)
  })
}

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
