/** A payment that was rejected goes back to its member, over the real stack. */
import { isAccessible } from './support/accessible'
import { addressCodeMailedTo, asStaff, hash, mailTo, platformMethod, proof, registered, reject, staffSignedIn, startAs } from './support/stack'
import { expect, test } from './support/test'

const ADDRESS = 'TVj7RNVHy6thbM7BWdSe9G6gXwKhjhdNZS'

test('a rejected payment is returned to an address that the member confirmed, by two treasurers [D-M5] [D-N1]', async ({ page, another }) => {
  const member = await registered()
  const receipt = `data:${proof.mimeType};base64,${proof.buffer.toString('base64')}`
  const payment = { amount: 200, method: await platformMethod(member), receipt, type: 'deposit', txid: hash() }
  const { transaction } = await member.api<{ transaction: { id: string } }>('POST', '/transactions/deposit', payment)
  const { id } = transaction
  await reject(member.email, 'WRONG_NETWORK')

  await staffSignedIn(page, 'treasurer')
  await page.goto(`/admin/review/${id}`)
  await page.getByRole('button', { name: 'Return the payment' }).click()
  await expect(page.getByText(/there is none for USDT on TRC20/)).toBeVisible()

  const saved = { currency: 'USDT', network: 'TRC20', address: ADDRESS, label: 'Mine' }
  const { paymentMethod } = await member.api<{ paymentMethod: { id: string } }>('POST', '/payment-methods', saved)
  await member.api('POST', `/payment-methods/${paymentMethod.id}/confirm`, { code: await addressCodeMailedTo(member.email, ADDRESS) })

  await page.reload()
  await page.getByRole('button', { name: 'Return the payment' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Transaction hash of what arrived')).toHaveValue(payment.txid)
  await expect(dialog.getByLabel('Address, confirmed by the member')).toHaveValue('0')
  await isAccessible(page, 'the return of a payment')
  const back = hash()
  await dialog.getByLabel('Worth of what went back').fill('199.50')
  await dialog.getByLabel('Transaction hash of the return').fill(back)
  await dialog.getByLabel('Reason').fill(`As ${member.email} asked`)
  await dialog.getByRole('button', { name: 'Propose' }).click()
  await expect(dialog).toHaveCount(0)

  const second = await asStaff('treasurer2')
  type Proposals = { proposals: { id: string; change: { note?: string } }[] }
  const { proposals } = await second<Proposals>('GET', '/admin/proposals?status=open')
  const proposal = proposals.find(({ change }) => change.note?.includes(member.email))
  await second('POST', `/admin/proposals/${proposal?.id}/confirm`)
  await expect(page.getByText(`$199.50 to ${ADDRESS} by transaction ${back}`)).toBeVisible()

  const own = await another()
  await startAs(own, member)
  await own.goto(`/transactions/${id}`)
  await expect(own.getByText('Returned to you')).toBeVisible()
  await expect(own.getByText(`$199.50 to ${ADDRESS} by transaction ${back}`)).toBeVisible()
  await isAccessible(own, 'a returned payment')
  expect((await mailTo(member.email, new RegExp(back)))[0]).toBe(back)
  const { user } = await member.api<{ user: { wallet: { balance: number } } }>('GET', '/auth/check')
  expect(user.wallet.balance).toBe(0)
})
