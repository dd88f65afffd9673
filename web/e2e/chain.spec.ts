/** What staff do with payments that a node shows. Runs with `stack e2e --chains`. */
import { readFileSync } from 'node:fs'
import { counting } from './support/counting'
import { passes } from './support/accessible'
import { platformMethod, proof, registered, staffSignedIn } from './support/stack'
import { expect, test } from './support/test'

const node = process.env['STACK_TRON_URL']
/** Of the local network: the token that stands for USDT, and an account without a key. */
const TOKEN = '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c'
const RICH = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

test.skip(!node, 'no node')

async function rpc(method: string, params: unknown[]) {
  const request = { jsonrpc: '2.0', id: 1, method, params }
  const response = await fetch(node ?? '', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(request) })
  const { result, error } = (await response.json()) as { result: unknown; error?: unknown }
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** The account of an address of Tron: without its prefix and checksum. */
function accountOf(address: string) {
  const number = [...address].reduce((sum, letter) => sum * 58n + BigInt(ALPHABET.indexOf(letter)), 0n)
  return number.toString(16).padStart(50, '0').slice(2, 42)
}

const word = (digits: string) => digits.replace(/^0x/, '').padStart(64, '0')

/** Pays an amount of dollars in USDT to an address, from another wallet. */
async function pay(address: string, dollars: number) {
  const units = word((dollars * 1_000_000).toString(16))
  const send = (data: string) => rpc('eth_sendTransaction', [{ from: RICH, to: TOKEN, data, gas: '0x7a120' }])
  await send(`0x40c10f19${word(RICH)}${units}`)
  return (await send(`0xa9059cbb${word(accountOf(address))}${units}`)) as string
}

test('a deposit without evidence whose payment is on the chain takes two presses, and is credited [D-Q6] [D-Q9]', async ({ page }, info) => {
  const member = await registered()
  const method = await platformMethod(member)
  const { paymentMethods } = await member.api<{ paymentMethods: { id: string; address: string }[] }>('GET', '/payment-methods')
  const address = paymentMethods.find(({ id }) => id === method)?.address ?? ''
  const receipt = `data:${proof.mimeType};base64,${proof.buffer.toString('base64')}`
  const { transaction } = await member.api<{ transaction: { id: string } }>('POST', '/transactions/deposit', { amount: 110, method, receipt, type: 'deposit' })
  const txid = await pay(address, 110)
  await rpc('anvil_mine', ['0x1e'])
  await staffSignedIn(page, 'reviewer')
  await expect(async () => {
    await page.goto(`/admin/review/${transaction.id}`)
    await expect(page.getByText('best match')).toBeVisible({ timeout: 5_000 })
  }).toPass({ timeout: 90_000 })
  await passes(page, 'a payment that belongs to no request')
  const act = counting(page, info, 'deposit without evidence, payment on the chain')
  await act.key('a')
  await expect(page.getByLabel('Transaction hash')).toHaveValue(txid.replace(/^0x/, ''))
  await act.key('Enter')
  const balance = async () => (await member.api<{ user: { wallet: { balance: number } } }>('GET', '/auth/check')).user.wallet.balance
  // What the units were worth when they arrived.
  await expect.poll(balance).toBeCloseTo(110, 0)
  act.end(2)
  await page.goto('/admin/solvency')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Assets as CSV' }).click()
  expect(readFileSync(await (await saved).path(), 'utf8')).toContain('tron,USDT,6,')
})
